// Unpacks the page's data: arrays, and JSON with their positions.

const unpack = async (text) => {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const end = bytes.length - 4;
  const length = new DataView(bytes.buffer).getUint32(end, true);
  const description = JSON.parse(new TextDecoder().decode(bytes.subarray(end - length, end)));
  return { description, bytes };
};

const bytesAt = (bytes, [start, length]) => bytes.subarray(start, start + length);

// Numbers are stored as four planes of bytes, the lowest byte first.
const wordAt = (planes, count, place) =>
  planes[place] | planes[count + place] << 8 | planes[2 * count + place] << 16
  | planes[3 * count + place] << 24;

const numbersAt = (bytes, place) => {
  const planes = bytesAt(bytes, place);
  const count = planes.length / 4;
  const numbers = new Int32Array(count);
  let number = 0;
  for (let at = 0; at < count; at += 1) {
    number = number + wordAt(planes, count, at) | 0;
    numbers[at] = number;
  }
  return numbers;
};

// A sequence of frames, stored as differences; one frame is decoded at a time.
class Frames {
  constructor(bytes, place, cells) {
    const planes = bytesAt(bytes, place);
    this.values = new Int32Array(cells);
    this.at = -1; // before the first step
    this.changes = [];
    for (let start = 0; start < planes.length; start += 4 * cells) {
      this.changes.push(Frames.changesOf(planes.subarray(start, start + 4 * cells), cells));
    }
    this.apply(this.changes[0], 1);
    this.count = this.changes.length - 1;
  }

  static changesOf(planes, cells) {
    let count = 0;
    for (let cell = 0; cell < cells; cell += 1) count += wordAt(planes, cells, cell) !== 0;
    const places = new Uint32Array(count);
    const differences = new Int32Array(count);
    for (let cell = 0, at = 0; cell < cells; cell += 1) {
      const difference = wordAt(planes, cells, cell);
      if (difference) {
        places[at] = cell;
        differences[at] = difference;
        at += 1;
      }
    }
    return { places, differences };
  }

  apply({ places, differences }, sign) {
    for (let at = 0; at < places.length; at += 1) this.values[places[at]] += sign * differences[at];
  }

  // The values after a step; -1 gives those before the first.
  frame(step) {
    while (this.at < step) {
      this.at += 1;
      this.apply(this.changes[this.at + 1], 1);
    }
    while (this.at > step) {
      this.apply(this.changes[this.at + 1], -1);
      this.at -= 1;
    }
    return this.values;
  }

  // The cells that a step changed.
  changedBy(step) {
    return this.changes[step + 1].places;
  }
}
