// SPDX-License-Identifier: GPL-2.0-only
#include "system/compute-model.h"

#include "common/check.h"
#include "common/unit-parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace nadi
{

namespace
{

/// A factor has nine decimals, so that 1.1 means 11/10 and not the nearest binary fraction.
constexpr int64_t FACTOR_UNIT = 1'000'000'000;

/// duration * factor, rounded up to a picosecond, where billionths of the factor pass 64 bits.
/// Throws std::overflow_error past the clock's range.
SimTime
ScaleUpFar(SimTime duration, double factor)
{
    const double ps = std::ceil(static_cast<double>(duration.Ps()) * factor);
    if (ps >= static_cast<double>(SimTime::Max().Ps()))
    {
        throw std::overflow_error(
            fmt::format("a duration of {} scaled by {} is too long", ToText(duration), factor));
    }
    return SimTime::FromPs(static_cast<int64_t>(ps));
}

/// duration * factor, rounded up to a picosecond. Throws std::overflow_error past the clock's
/// range.
SimTime
ScaleUp(SimTime duration, double factor)
{
    constexpr double MOST = 9e9;
    if (factor > MOST)
    {
        return ScaleUpFar(duration, factor);
    }
    const int64_t billionths = std::llround(factor * static_cast<double>(FACTOR_UNIT));
    return SimTime::FromPs(
        detail::DivideRoundingUp(detail::Wide{duration.Ps()} * billionths, FACTOR_UNIT));
}

} // namespace

ComputeModel::ComputeModel(const ComputeOptions& options)
    : m_options(options)
{
    NADI_CHECK(options.model == ComputeOptions::Model::Trace ||
               (options.peak > FlopRate() && options.memoryBandwidth > Bandwidth()));
}

SimTime
ComputeModel::ComputeDuration(const ComputeWork& work) const
{
    // Two roundings up instead of one product of factors: each factor keeps its nine decimals
    // exactly.
    const SimTime scaled = ScaleUp(UnscaledDuration(work), m_options.scale);
    const auto straggler = m_options.perRank.find(work.rank.value);
    return straggler == m_options.perRank.end() ? scaled : ScaleUp(scaled, straggler->second);
}

SimTime
ComputeModel::UnscaledDuration(const ComputeWork& work) const
{
    const bool isKnown = work.operations > Flops() || work.memory > Bytes();
    if (m_options.model == ComputeOptions::Model::Trace || work.isCpu || !isKnown)
    {
        return work.recorded;
    }
    return std::max(work.operations / m_options.peak, work.memory / m_options.memoryBandwidth);
}

} // namespace nadi
