/** The pictures of an MJPEG stream: nothing but JPEG files, one after the other. Views of `stream`. */
export function jpegs(stream: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const pictures: Uint8Array<ArrayBuffer>[] = [];
  let begin = 0;
  // Inside a picture's data, 0xff is followed by 0x00.
  for (let at = 1; at < stream.length; at++) {
    if (stream[at - 1] !== 0xff || stream[at] !== 0xd9) continue;
    pictures.push(stream.subarray(begin, at + 1));
    begin = at + 1;
  }
  return pictures;
}
