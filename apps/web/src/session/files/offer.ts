import * as v from "valibot";

/** 16 bytes, random for each file. */
export const FileId = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{22}$/));
/** 32 bytes. */
export const FileSecret = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{43}$/));

/** What a member says of a file in the group: there is one. What it is, the link says (PROTOCOL.md section 5.7). */
export const FileOffer = v.strictObject({ type: v.literal("file"), id: FileId, secret: FileSecret });
export type FileOffer = v.InferOutput<typeof FileOffer>;
