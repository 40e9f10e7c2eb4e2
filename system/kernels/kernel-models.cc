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
/// A kind without classes reaches the whole peak.
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

/// What the bounds of a model say of a kernel, without the launch; 0: it does no such work.
struct BoundTimes
{
    double compute = 0;
    double memory = 0;
};

double
SeenTime(SeenBounds seen, const BoundTimes& times)
{
    // A kernel that does one kind of work only has one bound, whichever was seen.
    if (times.compute == 0 || times.memory == 0)
    {
        return std::max(times.compute, times.memory);
    }
    switch (seen)
    {
    case SeenBounds::Both:
        return std::max(times.compute, times.memory);
    case SeenBounds::Arithmetic:
        return times.compute;
    case SeenBounds::Memory:
        return times.memory;
    case SeenBounds::Either:
        return std::min(times.compute, times.memory);
    }
    return 0;
}

bool
IsBeyond(uint64_t value, uint64_t most)
{
    // The product of `most` could pass 64 bits, so `value` is divided instead.
    return value / MOST_BEYOND_RECORDED > most;
}

} // namespace

std::string_view
ToText(SeenBounds bounds)
{
    switch (bounds)
    {
    case SeenBounds::Both:
        return "both";
    case SeenBounds::Arithmetic:
        return "arithmetic";
    case SeenBounds::Memory:
        return "memory";
    case SeenBounds::Either:
        return "either";
    }
    return "";
}

uint32_t
FindSizeClass(uint64_t operations)
{
    // floor(log4(n)) = floor(log2(n) / 2).
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
    // Times are in nanoseconds. Rates are per second, and the bandwidth counts bits.
    const BoundTimes times{
        .compute = work.operations == 0 ? 0
                                        : static_cast<double>(work.operations) * 1e9 /
                                              (static_cast<double>(peak.FlopsPerSecond()) *
                                               EfficiencyOf(model, work.operations)),
        .memory = static_cast<double>(work.bytes) * 8e9 /
                  (static_cast<double>(memoryBandwidth.BitsPerSecond()) * model.memoryEfficiency)};
    return KernelEstimate{.nanos = std::max(times.compute, times.memory) + model.launchNanos,
                          .isExtrapolated = IsBeyond(work.operations, model.mostOperations) ||
                                            IsBeyond(work.bytes, model.mostBytes),
                          .seenNanos = SeenTime(model.seen, times) + model.launchNanos,
                          .seen = model.seen};
}

} // namespace nadi
