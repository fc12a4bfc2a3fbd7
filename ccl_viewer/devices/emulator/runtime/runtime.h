// The whole runtime, in the order that a kernel's translation unit needs.

#pragma once

#include "freestanding.h"
#include "launch.h"
#include "loops.h"
