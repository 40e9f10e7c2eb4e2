// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace nadi
{

/// How much one member of an all-to-all sends to each member, where these parts differ. Sizes are
/// in the unit of the call's own size; the places are those of the group's list of ranks.
///
/// Example: rank 0 of a group {0, 1, 2} keeps 8 elements, sends 16 to rank 1 and none to rank 2:
/// sends = {8, 16, 0}, in a call of 24 elements.
struct ExchangeSplits
{
    std::vector<uint64_t> sends;      ///< to each member, the own part among them
    std::vector<uint64_t> receives{}; ///< from each member; empty: not known, and not checked

    bool operator==(const ExchangeSplits&) const = default;
};

/// Calls and graphs share splits: those of 256 ranks are 256 x 256 sizes in each layer.
using SharedSplits = std::shared_ptr<const ExchangeSplits>;

/// What a member of a group sends to the one at this place of the group's list: its split, or its
/// equal part where it has none (`splits` null). Requires: place < members.
uint64_t SentTo(const ExchangeSplits* splits, uint64_t elements, uint32_t place, uint32_t members);

/// Whether the sends are those of a call without splits: PartOf([0, elements), j, p) to member j,
/// and none of them is empty, as an empty split is not sent while an empty part is.
bool AreEqualParts(const std::vector<uint64_t>& sends, uint64_t elements);

} // namespace nadi
