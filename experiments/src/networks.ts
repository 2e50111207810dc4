import { type ParameterSpec, type Tensor, ops, engineInternals } from '@gyre/engine';

/** Gives about as many parameters as the convolutions have. */
const patchWidth = 170;
/** Eight blocks of 16 values of contrast and 3 of colour. */
const cellValues = 8 * 19;
/** Maximum columns and rows of a screen. */
const maxPlaces = 64;

/** Encodes each cell by itself: a patch of 8x16 px through two layers, as in a vision transformer. */
class PatchNetwork extends engineInternals.ScreenNetwork {
  protected override halves(blocks: Tensor): Tensor {
    const { weights, rows, columns } = this;
    const [n = 0] = blocks.shape;
    const cells = ops.transpose(ops.reshape(blocks, [n, rows, 4, columns, 2, 19]), [0, 1, 3, 2, 4, 5]);
    const seen = weights.project('image.stem.patch', ops.reshape(cells, [n, rows * columns, cellValues]));
    return ops.relu(weights.project('image.stem.out', ops.relu(seen)));
  }
}

/**
 * Predicts a place as a column and a row, each from a list, as models do that write coordinates as tokens. Both are
 * drawn at once.
 */
class CoordinateNetwork extends engineInternals.DecoderNetwork {
  override logits(hidden: Tensor): Tensor {
    const { weights, grid } = this;
    const [n = 0, s = 0, t = 0] = hidden.shape;
    const among = (name: string, end: number): Tensor => ops.slice(weights.project(name, hidden), 3, 0, end);
    const columns = ops.reshape(among('coordinate.column', grid.columns), [n, s, t, 1, grid.columns]);
    const rows = ops.reshape(among('coordinate.row', grid.rows), [n, s, t, grid.rows, 1]);
    return ops.concat(
      [weights.project('logits', hidden), ops.reshape(ops.add(rows, columns), [n, s, t, grid.cells])],
      3,
    );
  }
}

function matrix(name: string, from: number, to: number, scale = 1): ParameterSpec[] {
  return [
    { name: `${name}.w`, shape: [from, to], init: { normal: scale / Math.sqrt(from) } },
    { name: `${name}.b`, shape: [to], init: 'zeros' },
  ];
}

export const patches: engineInternals.Blueprint = {
  ...engineInternals.nativeBlueprint,
  screen: PatchNetwork,
  parameters: (architecture) => [
    ...engineInternals.nativeBlueprint.parameters(architecture).filter(({ name }) => !name.startsWith('image.stem.')),
    ...matrix('image.stem.patch', cellValues, patchWidth, 1.4),
    ...matrix('image.stem.out', patchWidth, engineInternals.letterHeads * 1.5 * architecture.stem, 1.4),
  ],
};

export const coordinates: engineInternals.Blueprint = {
  ...engineInternals.nativeBlueprint,
  decoder: CoordinateNetwork,
  parameters: (architecture) => [
    ...engineInternals.nativeBlueprint.parameters(architecture),
    ...matrix('coordinate.column', architecture.width, maxPlaces),
    ...matrix('coordinate.row', architecture.width, maxPlaces),
  ],
};
