// Where two lines of pixels meet at a border: which of them connect.
//
// a and b face each other; 1 is the pixel before on each side, 2 the one after. Each pair of runs
// is joined once: where their overlap begins, or, with 8 neighbours, at the corner where they touch
// without overlapping.
#pragma once

static __device__ __forceinline__ bool faces(bool a, bool b, bool a1, bool b1)
{
    return a && b && !(a1 && b1);
}

static __device__ __forceinline__ bool corner(bool a, bool b, bool a_beside, bool b_beside)
{
    return a && !b && !a_beside && b_beside;
}
