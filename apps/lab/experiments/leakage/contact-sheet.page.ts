/** What an attacker had on screen at the sheet's moment. */
export interface Still {
  row: string;
  column: string;
  caption: string;
  picture: ImageData;
}

const GAP = 8;
const LINE = 18;
const LABELS = 170;
const SOURCE = "source";

/** Stills in rows and columns, with the sender's picture at the same moment in front of each row. */
export class ContactSheet {
  readonly #source: ImageData;
  readonly #stills: Still[] = [];

  constructor(source: ImageData) {
    this.#source = source;
  }

  add(still: Still): void {
    this.#stills.push(still);
  }

  /** In Base64. */
  async png(): Promise<string> {
    const { width, height } = this.#source;
    const rows = [...new Set(this.#stills.map(({ row }) => row))];
    const columns = [SOURCE, ...new Set(this.#stills.map(({ column }) => column))];
    const canvas = new OffscreenCanvas(LABELS + columns.length * (width + GAP), rows.length * (height + LINE + GAP));
    const context = canvas.getContext("2d");
    if (context === null) throw new Error("this browser draws no pictures");
    context.fillStyle = "white";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = "black";
    context.font = "13px sans-serif";
    const sources = rows.map((row) => ({ row, column: SOURCE, caption: "", picture: this.#source }));
    for (const { row, column, caption, picture } of [...sources, ...this.#stills]) {
      const x = LABELS + columns.indexOf(column) * (width + GAP);
      const y = rows.indexOf(row) * (height + LINE + GAP) + LINE;
      if (column === SOURCE) context.fillText(row, GAP, y + height / 2, LABELS - 2 * GAP);
      context.fillText(`${column} ${caption}`, x, y - GAP / 2, width);
      context.putImageData(picture, x, y);
    }
    return base64Of(await canvas.convertToBlob());
  }
}

function base64Of(blob: Blob): Promise<string> {
  const reader = new FileReader();
  return new Promise((resolve) => {
    // A data URL: what is behind the comma is Base64.
    reader.onload = () => resolve(String(reader.result).replace(/^.*,/, ""));
    reader.readAsDataURL(blob);
  });
}
