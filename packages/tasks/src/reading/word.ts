/** A visible word, or the part of one that a line break, a border or another element leaves visible. */
export interface Word {
  readonly text: string;
  /** In px from the top of the screen, of the font's line box. */
  readonly top: number;
  readonly height: number;
  readonly fontSize: number;
  /** Left of each code point of `text`, then the right of the last, in px. */
  readonly edges: readonly number[];
  /** Whether a border or another element hides the rest of the word, and maybe a part of a character. */
  readonly clipped?: boolean;
  /** Number of the innermost box around the word that has a border or a background of its own; none for the page. */
  readonly frame?: number;
}
