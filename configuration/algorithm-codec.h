// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/codec.h"
#include "configuration/config.h"

namespace nadi
{

/// The algorithms of one type of collective: one for all dimensions, a list of one for each, or
/// `{flat: <algorithm>}`. An algorithm is a name or `{name: ..., <parameters>}`.
///
/// Reading throws ConfigError for an algorithm that is not registered or does not support the type
/// (with those that would do), and for an unfit parameter.
Codec<AlgorithmSetting> MakeAlgorithmSettingCodec(CollectiveType type);

} // namespace nadi
