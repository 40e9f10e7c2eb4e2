// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/parameters.h"
#include "configuration/field.h"

#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// How the values of a parameter stand in a configuration. A value is checked, and kept as the text
/// that ParseParameter reads; a path is made absolute.
Codec<std::string> MakeParameterCodec(const ParameterSpec& spec);

/// Parameters as keys: `link.bandwidth` and `link.latency` become the mapping `link: {bandwidth,
/// latency}`. A key that `values` has already need not be given.
///
/// Requires: parameters of one mapping are neighbours; `values` stays where it is.
Section DescribeParameters(const std::vector<ParameterSpec>& specs,
                           std::map<std::string, std::string>& values);

} // namespace nadi
