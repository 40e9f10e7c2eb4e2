// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/codec.h"
#include "workload/what-if/wish.h"

namespace nadi
{

/// `workload.what-if`: what is to be other than in the traces.
Codec<WhatIf> MakeWhatIfCodec();

} // namespace nadi
