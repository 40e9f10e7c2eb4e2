// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/communicator.h"
#include "system/execution/rendezvous.h"
#include "system/execution/uneven-sizes.h"

#include <optional>
#include <vector>

namespace nadi
{

/// What each member brings, by its place in the layout. Nothing: all bring the same size.
std::optional<std::vector<MemberSizes>> FindMemberSizes(const Meeting& meeting,
                                                        const CommunicatorLayout& layout);

} // namespace nadi
