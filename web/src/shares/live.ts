import { follow } from "../api/stream";
import { SharedStream } from "../live/shared";
import { FeedbackChanges } from "./feedback";

/** Notifies of changed feedback on a link, or on any link if the id is null. */
export const feedbackChanges = new SharedStream<string | null>(
  "feedback",
  async function* (signal) {
    for await (const { feedbackChanges: change } of follow(
      FeedbackChanges,
      {},
      signal,
    ))
      if (change) yield change.shareId ?? null;
  },
);
