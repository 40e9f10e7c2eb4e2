// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/field.h"
#include "common/parameters.h"

#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// The parameters of a generator, or of a model, as keys: `link.bandwidth` and `link.latency`
/// become the mapping `link: {bandwidth, latency}`. Values are checked for their kind and kept in
/// `values` as texts; a key that `values` has already need not be given.
///
/// Requires: parameters of one mapping are neighbours; `values` stays where it is.
Section DescribeParameters(const std::vector<ParameterSpec>& specs,
                           std::map<std::string, std::string>& values);

} // namespace nadi
