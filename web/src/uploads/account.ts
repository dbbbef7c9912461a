import { request } from "../api/request";
import {
  CancelUpload,
  CreateUpload,
  FinishUpload,
  UploadProgress,
} from "./documents";
import { findSame } from "./same";
import { patience, type Sender } from "./sender";

/** Sends uploads of the logged-in account. */
export const account: Sender = {
  async announce({ path, type, size, policy, key }) {
    const contentType = type.startsWith("image/")
      ? type
      : "application/octet-stream";
    const input = {
      path,
      contentType,
      sizeBytes: size,
      onConflict: policy,
      clientKey: key,
    };
    const { createUpload } = await request(
      CreateUpload,
      { input },
      { signal: AbortSignal.timeout(patience) },
    );
    return createUpload!.upload!;
  },
  async finish(id) {
    const { finishUpload } = await request(
      FinishUpload,
      { input: { id } },
      { signal: AbortSignal.timeout(patience) },
    );
    return finishUpload?.file?.path ?? "";
  },
  cancel(id) {
    request(CancelUpload, { input: { id } }).catch(() => undefined);
  },
  async received(id) {
    const answer = await request(UploadProgress, { id }).catch(() => null);
    return answer?.upload?.receivedBytes ?? 0;
  },
  same: findSame,
};
