// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/codec.h"
#include "network/network-options.h"

namespace nadi
{

/// The name of a congestion control, or {name: ..., <parameters>}; written with the parameters that
/// were given. A parameter's value is checked for its kind, where it is written.
Codec<CongestionControlChoice> MakeCongestionControlCodec();

} // namespace nadi
