import { follow } from "../api/stream";
import { SharedStream } from "../live/shared";
import { FeedbackChanges } from "./feedback";

/** Tells that there is other feedback on a link, or on any of them without an id. */
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
