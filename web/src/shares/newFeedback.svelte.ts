import { request } from "../api/request";
import { Renewal } from "../gallery/renewal";
import { session } from "../session/session.svelte";
import { NewFeedback } from "./feedback";
import { feedbackChanges } from "./live";

/**
 * The number of new feedback entries on the person's links, updated while the component that uses
 * it exists.
 */
export class NewFeedbackCount {
  n = $state(0);

  constructor() {
    $effect(() => {
      if (!session.mayEdit) return;
      const renewal = new Renewal(async () => {
        this.n = (await request(NewFeedback, {})).newFeedback ?? 0;
      });
      renewal.now();
      const leave = feedbackChanges.listen(() => renewal.soon());
      return () => {
        leave();
        renewal.stop();
      };
    });
  }
}
