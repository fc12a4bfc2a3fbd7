// The whole runtime, in the order in which a kernel's translation unit needs it.

#pragma once

#include "freestanding.h"
#include "launch.h"
#include "loops.h"
