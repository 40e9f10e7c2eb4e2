// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/config/codec.h"
#include "cli/config/config.h"

namespace nadi
{

/// A link as the names of its two ends: [npu0, leaf0].
Codec<LinkEnds> MakeLinkCodec();

} // namespace nadi
