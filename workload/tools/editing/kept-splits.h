// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "proto/chakra.pb.h"

#include <vector>

namespace nadi
{

/// Takes the parts of those members that do not stay out of an all-to-all whose parts differ. Its
/// size becomes the sum of the parts that are left, and each of these stays as large as it was.
///
/// Requires: the size is a multiple of the sum of the parts, as readers demand.
///
/// `stays`: by member of the group, in its order. Returns whether the node lists parts for these
/// members; any other node stays as it is.
bool KeepSplits(ChakraProtoMsg::Node& node, const std::vector<bool>& stays);

} // namespace nadi
