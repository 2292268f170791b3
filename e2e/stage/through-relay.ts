/** A page all of whose packets to the other end go to that port of this computer, where a relay is. */
export function throughPort(port: number): () => void {
  return new Function(`(${redirect})(${port})`) as () => void;
}

/** Runs in the page, before its own scripts: whatever addresses the other end names, they are the relay's. */
function redirect(port: number): void {
  const redirected = (text: string) =>
    text.replace(/candidate:(\S+) (\d+) udp (\d+) \S+ \d+ .*/gi, `candidate:$1 $2 udp $3 127.0.0.1 ${port} typ host`);
  type Of<Given> = (this: RTCPeerConnection, given: Given) => Promise<void>;
  const addIceCandidate: Of<RTCIceCandidateInit> = RTCPeerConnection.prototype.addIceCandidate;
  const setRemoteDescription: Of<RTCSessionDescriptionInit> = RTCPeerConnection.prototype.setRemoteDescription;
  RTCPeerConnection.prototype.addIceCandidate = async function (this: RTCPeerConnection, given) {
    const { candidate = "", ...rest } = given ?? {};
    // A relay of datagrams has no other ways.
    if (/ udp /i.test(candidate)) await addIceCandidate.call(this, { ...rest, candidate: redirected(candidate) });
  };
  RTCPeerConnection.prototype.setRemoteDescription = function (this: RTCPeerConnection, { type, sdp = "" }) {
    const udp = sdp.replace(/^a=candidate:\S+ \d+ tcp .*\r\n/gim, "");
    return setRemoteDescription.call(this, { type, sdp: redirected(udp) });
  };
}
