// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/codec.h"
#include "configuration/config.h"

namespace nadi
{

/// A link as the names of its two ends: [npu0, leaf0].
Codec<LinkEnds> MakeLinkCodec();

} // namespace nadi
