// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/release-family.h"

#include <algorithm>

namespace nadi::nccl
{

namespace
{

constexpr double NEVER = ReleaseFamily::NEVER;
// Several families share these figures. The old ones held up to 2.16; the others came with 2.17.
constexpr ByProtocol OLD_RING_BASE{3.6, 10, 8.4};
constexpr ByProtocol OLD_TREE_BASE{4.4, 4.4, 0};
constexpr ByProtocol OLD_RING_LINK{0.47, 1.9, 3.4};
constexpr ByProtocol OLD_TREE_LINK{0.52, 1.25, 28};
constexpr ByProtocol RING_BASE{6.6, 14, 8.4};
constexpr ByProtocol RING_LINK{0.6, 1.9, 3.4};
constexpr ByProtocol RING_NET{2.7, 4, 14};

// Each entry says what holds from its release on. Lists in braces are LL, LL128 and Simple.
const std::array<ReleaseFamily, 8> FAMILIES{{
    {{2, 0},
     OLD_TREE_BASE,
     OLD_RING_BASE,
     OLD_TREE_LINK,
     OLD_RING_LINK,
     {5, 8.5, 50},
     {2.7, 4, 9.6},
     NEVER,
     NEVER,
     1.0},
    {{2, 8},
     OLD_TREE_BASE,
     OLD_RING_BASE,
     OLD_TREE_LINK,
     OLD_RING_LINK,
     {5, 8.5, 28},
     {2.7, 4, 9.6},
     NEVER,
     NEVER,
     1.9},
    {{2, 12},
     OLD_TREE_BASE,
     OLD_RING_BASE,
     OLD_TREE_LINK,
     OLD_RING_LINK,
     {5, 8.5, 28},
     {2.7, 4, 28},
     NEVER,
     NEVER,
     1.9},
    {{2, 17},
     {6.8, 14, 0},
     RING_BASE,
     {0.6, 1.25, 4},
     RING_LINK,
     {5, 8.5, 14},
     RING_NET,
     23,
     18.5,
     1.4},
    {{2, 19},
     {6.8, 14, 0},
     RING_BASE,
     {0.6, 1.25, 28},
     RING_LINK,
     {5, 8.5, 28},
     RING_NET,
     23,
     14,
     1.4},
    {{2, 21},
     {6.8, 14, 0},
     RING_BASE,
     {0.6, 1.25, 28},
     RING_LINK,
     {5, 8.5, 28},
     RING_NET,
     25,
     14,
     1.4},
    {{2, 23},
     {6.8, 14, 8.4},
     RING_BASE,
     {0.6, 1.25, 4},
     RING_LINK,
     {5, 8.5, 14},
     RING_NET,
     25,
     14,
     1.4},
    {{2, 28, 9},
     {6.8, 14, 8.4},
     RING_BASE,
     {0.6, 1.25, 4},
     RING_LINK,
     {5, 8.5, 14},
     RING_NET,
     25,
     20.9,
     1.4},
}};

} // namespace

const ReleaseFamily&
FamilyOf(Release release)
{
    const auto later = std::find_if(FAMILIES.begin(),
                                    FAMILIES.end(),
                                    [&](const ReleaseFamily& one) { return release < one.first; });
    // There is an entry before `later`: the first entry is that of 2.0, and ParseRelease refuses
    // releases before 2.4.
    return *std::prev(later);
}

} // namespace nadi::nccl
