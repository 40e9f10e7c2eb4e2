// SPDX-License-Identifier: GPL-2.0-only
#include "system/kernels/kernel-models.h"

#include <algorithm>
#include <bit>

namespace nadi
{

namespace
{

constexpr uint64_t MOST_BEYOND_RECORDED = 2;

/// Of the nearest class; of two that are equally near, the larger one.
double
EfficiencyOf(const KindModel& model, uint64_t operations)
{
    const auto wanted = static_cast<int64_t>(FindSizeClass(operations));
    const auto distance = [wanted](const ClassEfficiency& entry)
    {
        const int64_t far = std::abs(static_cast<int64_t>(entry.sizeClass) - wanted);
        return std::pair(far, -static_cast<int64_t>(entry.sizeClass));
    };
    const auto nearest = std::ranges::min_element(model.classes, {}, distance);
    return nearest == model.classes.end() ? 1 : nearest->efficiency;
}

bool
IsBeyond(uint64_t value, uint64_t most)
{
    return value / MOST_BEYOND_RECORDED > most;
}

} // namespace

uint32_t
FindSizeClass(uint64_t operations)
{
    return static_cast<uint32_t>(std::bit_width(operations) - 1) / 2;
}

std::optional<KernelEstimate>
KernelModels::Find(const KernelWork& work) const
{
    const auto found = kinds.find(work.kind);
    if (found == kinds.end() || (work.operations == 0 && work.bytes == 0))
    {
        return std::nullopt;
    }
    const KindModel& model = found->second;
    const double compute = work.operations == 0 ? 0
                                                : static_cast<double>(work.operations) * 1e9 /
                                                      (static_cast<double>(peak.FlopsPerSecond()) *
                                                       EfficiencyOf(model, work.operations));
    const double memory =
        static_cast<double>(work.bytes) * 8e9 /
        (static_cast<double>(memoryBandwidth.BitsPerSecond()) * model.memoryEfficiency);
    return KernelEstimate{std::max(compute, memory) + model.launchNanos,
                          IsBeyond(work.operations, model.mostOperations) ||
                              IsBeyond(work.bytes, model.mostBytes)};
}

} // namespace nadi
