import type {
  LinkFragment,
  ShareDownloads,
  UpdateShareInput,
} from "../api/graphql";
import { ApiError, messageOf } from "../api/request";

const day = 86_400_000;

/** The options chosen for a link. */
export type Choices = {
  name: string;
  ends: "7" | "30" | "date" | "never";
  /** The last day, such as 2026-11-27. */
  date: string;
  /** What happens to the existing password of a link. */
  keeps: "same" | "other" | "none";
  /** The new password; empty for none. */
  password: string;
  downloads: ShareDownloads;
  /** The name of a preset; empty for none. */
  watermark: string;
  uploads: boolean;
  gigabytes: string;
  feedback: boolean;
};

/** The default options of a new link. */
export const newChoices = (): Choices => ({
  name: "",
  ends: "30",
  date: "",
  keeps: "other",
  password: "",
  downloads: "RENDITIONS",
  watermark: "",
  uploads: false,
  gigabytes: "1",
  feedback: false,
});

const two = (n: number) => String(n).padStart(2, "0");
const localDay = (at: Date) =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

/** The current options of an existing link. */
export const choicesOf = (link: LinkFragment): Choices => ({
  name: link.name,
  ends: link.expiresAt ? "date" : "never",
  date: link.expiresAt ? localDay(new Date(link.expiresAt)) : "",
  keeps: link.hasPassword ? "same" : "other",
  password: "",
  downloads: link.downloads,
  watermark: link.watermark ?? "",
  uploads: link.uploadQuotaBytes > 0,
  gigabytes: String((link.uploadQuotaBytes || 1e9) / 1e9),
  feedback: link.allowFeedback,
});

/** The expiry of the link; null if it never expires or no date is chosen yet. */
export function expiryOf({ ends, date }: Choices): Date | null {
  if (ends === "never") return null;
  if (ends === "date") return date ? new Date(`${date}T23:59:59`) : null;
  return new Date(Date.now() + Number(ends) * day);
}

/** The total bytes that visitors may add; 0 for none. */
export const quotaOf = ({ uploads, gigabytes }: Choices): number =>
  uploads ? Math.round(Number(gigabytes) * 1e9) || 0 : 0;

/** The options that have changed; untouched ones are omitted. */
export function changesOf(
  link: LinkFragment,
  now: Choices,
): Omit<UpdateShareInput, "id"> {
  const was = choicesOf(link);
  const changes: Omit<UpdateShareInput, "id"> = {};
  if (now.name !== was.name) changes.name = now.name.trim();
  if (now.ends !== was.ends || now.date !== was.date)
    changes.expiresAt = expiryOf(now)?.toISOString() ?? null;
  if (now.keeps === "none") changes.password = null;
  else if (now.keeps === "other" && now.password)
    changes.password = now.password;
  if (now.downloads !== was.downloads) changes.downloads = now.downloads;
  if (now.watermark !== was.watermark)
    changes.watermark = now.watermark || null;
  if (quotaOf(now) !== quotaOf(was)) changes.uploadQuotaBytes = quotaOf(now);
  if (now.feedback !== was.feedback) changes.allowFeedback = now.feedback;
  return changes;
}

/** Why a link was refused: the field of the API that is wrong, or none, and what to say. */
export const refused = (error: unknown) => ({
  field: (error instanceof ApiError && error.field) || "",
  text: messageOf(error),
});
