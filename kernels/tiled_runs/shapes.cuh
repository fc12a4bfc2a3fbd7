// How Tiled Runs divides a grid, and what its buffers hold: macros that all its files share.
#pragma once

#include "common/warp.cuh"

#ifndef CONNECTIVITY
#define CONNECTIVITY 8
#endif
#ifndef TILES_X
#define TILES_X 2
#endif
#ifndef TILES_Y
#define TILES_Y 2
#endif
#ifndef NUMBERED
#define NUMBERED 0
#endif
#ifndef MULTIVALUED
#define MULTIVALUED 0
#endif

// Rows of a band. With 8 neighbours, pixels in adjacent columns of two adjacent rows always touch,
// so two rows can be taken as one: two pixels of the band are connected within it exactly if every
// column between them has a pixel. Pixels of different values do not connect: then a band is one
// row.
#if CONNECTIVITY == 8 && !MULTIVALUED
#define ROWS 2
#else
#define ROWS 1
#endif

// Runs of different values may lie side by side: then there are twice as many in a band, and words
// say where they begin.
#define CROWDED (MULTIVALUED ? 2 : 1)
#define TILE_WORDS (32 * ROWS * CROWDED)  // in `words`: rows of pixels, then where runs begin

#define TILES (TILES_X * TILES_Y)
#define TILE_H (32 * ROWS)
#define BLOCK_W (32 * TILES_X)
#define BLOCK_H (TILE_H * TILES_Y)
#define TILE_RUNS (512 * CROWDED)             // 16 or 32 runs in each of 32 bands
#define BLOCK_NODES (CROWDED * (BLOCK_W + BLOCK_H)) // every pixel of the border, or every other one
#define SIDE_PIXELS (2 * (BLOCK_W + BLOCK_H)) // pixels on the four sides; corners count twice
#define TOP 0                                 // where each side begins in `sides`
#define BOTTOM BLOCK_W
#define LEFT (2 * BLOCK_W)
#define RIGHT (2 * BLOCK_W + BLOCK_H)
#define IS_NODE 0x8000u  // in `runs`: a node, not a place
#define NO_NODE 0xFFFFu  // in `sides`: background
#define MARK 0x80000000u // in the table of a block: this root has a node, not a place

// How many runs a lane works on side by side, each 32 runs on from the one before: more where few
// warps are there to hide how long shared memory takes.
#ifndef RUNS_AHEAD
#define RUNS_AHEAD 4
#endif

// Warps that a multiprocessor takes, where that is known to be many.
#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900
#define RESIDENT_WARPS (TILES > 1 ? 64 : 1)
#else
#define RESIDENT_WARPS TILES
#endif
