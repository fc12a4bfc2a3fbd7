// Which row of blocks a block is in, however tall the grid.
#pragma once

// CUDA allows 65,535 blocks downwards. The rows of blocks of a taller grid are folded: the launch
// has several layers of them, one behind the other, and the last layer may have rows to spare,
// whose threads find themselves below the grid and do nothing. Without folding there is one layer,
// and this is blockIdx.y.
static __device__ __forceinline__ unsigned int block_row()
{
    return blockIdx.z * gridDim.y + blockIdx.y;
}
