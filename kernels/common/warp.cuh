// Warps: how many lanes they have, and the mask that names all of them.
#pragma once

#define WARP_SIZE 32
#define ALL_LANES 0xFFFFFFFFu
