/** A picture as the server's processor made it; shared by all prompts that show it. */
export interface PictureFeature {
  /** The server's own, not the PNG's. */
  readonly hash: string;
  /** Base64, megabytes; null once the server has it. */
  data: string | null;
}

export interface PlacedPicture {
  readonly feature: PictureFeature;
  /** The first of its tokens in the prompt. */
  readonly offset: number;
  readonly length: number;
}

export interface RenderedPrompt {
  readonly ids: readonly number[];
  readonly pictures: readonly PlacedPicture[];
}
