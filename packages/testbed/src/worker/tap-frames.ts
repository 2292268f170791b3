/**
 * Runs in a media worker before its own script, as text: it can use nothing from outside itself. Shows every frame that a
 * transform gets, where `came` is given, and every one that it writes: in the product, the same object with other bytes in it.
 * It stands in the reader and the writer that the worker takes: streams of its own would cost a page a quarter of what its call does.
 */
export function tapFrames(
  transformer: RTCRtpScriptTransformer,
  came: ((frame: RTCEncodedVideoFrame) => void) | null,
  written: (frame: RTCEncodedVideoFrame) => void,
): void {
  const { readable, writable } = transformer;
  const tapReader = (reader: ReadableStreamDefaultReader<RTCEncodedVideoFrame>) => {
    const read = reader.read.bind(reader);
    reader.read = () =>
      read().then((result) => {
        if (!result.done) came?.(result.value);
        return result;
      });
    return reader;
  };
  const tapWriter = (writer: WritableStreamDefaultWriter<RTCEncodedVideoFrame>) => {
    const write = writer.write.bind(writer);
    writer.write = (frame) => {
      if (frame !== undefined) written(frame);
      return write(frame);
    };
    return writer;
  };
  const [getReader, getWriter] = [readable.getReader.bind(readable), writable.getWriter.bind(writable)];
  if (came !== null) Object.defineProperty(readable, "getReader", { value: () => tapReader(getReader()) });
  Object.defineProperty(writable, "getWriter", { value: () => tapWriter(getWriter()) });
  for (const [name, value] of Object.entries({ readable, writable }))
    Object.defineProperty(transformer, name, { value });
}
