// AES in counter mode over images of 3072 bytes. A workgroup encrypts one image, 192 blocks, three to an invocation.
// Words of the state and the key have their first byte highest; words of an image have it lowest, as memory does.

struct Parameters {
  counter: vec4<u32>,
  rounds: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read> key: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> table: array<u32, 256>;
@group(0) @binding(3) var<storage, read_write> images: array<vec4<u32>>;

const LANES = 64u;
const BLOCKS = 192u;

var<workgroup> near: array<u32, 256>;

@compute @workgroup_size(LANES)
fn encrypt(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  for (var i = lane; i < 256u; i += LANES) {
    near[i] = table[i];
  }
  workgroupBarrier();
  for (var block = lane; block < BLOCKS; block += LANES) {
    let counter = parameters.counter + vec4(0u, 0u, group.x, block);
    images[group.x * BLOCKS + block] ^= swapped(cipher(counter));
  }
}

fn cipher(counter: vec4<u32>) -> vec4<u32> {
  var state = counter ^ key[0];
  for (var round = 1u; round < parameters.rounds; round++) {
    state = vec4(
      column(state.x, state.y, state.z, state.w),
      column(state.y, state.z, state.w, state.x),
      column(state.z, state.w, state.x, state.y),
      column(state.w, state.x, state.y, state.z),
    ) ^ key[round];
  }
  return vec4(
    substituted(state.x, state.y, state.z, state.w),
    substituted(state.y, state.z, state.w, state.x),
    substituted(state.z, state.w, state.x, state.y),
    substituted(state.w, state.x, state.y, state.z),
  ) ^ key[parameters.rounds];
}

// SubBytes, ShiftRows and MixColumns: of each of the four columns another row.
fn column(a: u32, b: u32, c: u32, d: u32) -> u32 {
  return near[a >> 24u]
    ^ rotated(near[(b >> 16u) & 0xffu], 8u)
    ^ rotated(near[(c >> 8u) & 0xffu], 16u)
    ^ rotated(near[d & 0xffu], 24u);
}

// The last round mixes no columns: the S-box alone is the table's third byte.
fn substituted(a: u32, b: u32, c: u32, d: u32) -> u32 {
  return (box(a >> 24u) << 24u) | (box((b >> 16u) & 0xffu) << 16u) | (box((c >> 8u) & 0xffu) << 8u) | box(d & 0xffu);
}

fn box(byte: u32) -> u32 {
  return (near[byte] >> 8u) & 0xffu;
}

fn rotated(word: u32, by: u32) -> u32 {
  return (word >> by) | (word << (32u - by));
}

fn swapped(words: vec4<u32>) -> vec4<u32> {
  return (words << vec4(24u)) | ((words & vec4(0xff00u)) << vec4(8u)) | ((words >> vec4(8u)) & vec4(0xff00u)) | (words >> vec4(24u));
}
