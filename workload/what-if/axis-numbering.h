// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace nadi
{

/// More ranks than any network has NPUs.
inline constexpr uint64_t MOST_NEW_RANKS = uint64_t{1} << 22;

/// How ranks are numbered along one axis of parallelism, such as copies or stages: those that
/// differ in it alone stand `stride` ranks apart. rank = inner + stride (place + count outer), with
/// inner < stride.
struct AxisNumbering
{
    uint32_t stride = 1;
    uint32_t count = 1; ///< of places

    uint32_t PlaceOf(uint32_t rank) const
    {
        return rank / stride % count;
    }

    /// The rank that differs in its place alone, in another numbering of the same stride.
    uint32_t Moved(uint32_t rank, const AxisNumbering& to, uint32_t place) const
    {
        const uint32_t outer = rank / stride / count;
        return rank % stride + to.stride * (place + to.count * outer);
    }
};

/// The numbering in which each rank has the place that is given. Nothing: ranks are numbered
/// otherwise.
std::optional<AxisNumbering> FindNumbering(std::span<const uint32_t> placeOfRank, uint32_t count);

} // namespace nadi
