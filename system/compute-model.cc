// SPDX-License-Identifier: GPL-2.0-only
#include "system/compute-model.h"

#include "common/check.h"
#include "common/error.h"
#include "common/unit-parser.h"
#include "system/kernels/kernel-shares.h"

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
    // In billionths this is 9e18, which fits 63 bits.
    constexpr double MOST = 9e9;
    if (factor > MOST)
    {
        return ScaleUpFar(duration, factor);
    }
    const int64_t billionths = std::llround(factor * static_cast<double>(FACTOR_UNIT));
    return SimTime::FromPs(
        detail::DivideRoundingUp(detail::Wide{duration.Ps()} * billionths, FACTOR_UNIT));
}

/// A share of a rate, to the nearest unit, and one at least. A share of 1 is the rate itself.
int64_t
ShareOfRate(int64_t rate, double share)
{
    NADI_CHECK(share > 0);
    return share == 1.0 ? rate
                        : std::max<int64_t>(std::llround(static_cast<double>(rate) * share), 1);
}

} // namespace

ComputeModel::ComputeModel(const ComputeOptions& options)
    : m_options(options)
{
    if (options.model == ComputeOptions::Model::Trace)
    {
        return;
    }
    NADI_CHECK(options.peak > FlopRate() && options.memoryBandwidth > Bandwidth());
    const KernelEfficiency& efficiency = options.efficiency;
    const std::array<double, 3> shares{efficiency.gemm, efficiency.attention, efficiency.other};
    for (size_t i = 0; i < shares.size(); ++i)
    {
        m_rates[i] =
            FlopRate::FromFlopsPerSecond(ShareOfRate(options.peak.FlopsPerSecond(), shares[i]));
    }
    m_memoryRate = Bandwidth::FromBitsPerSecond(
        ShareOfRate(options.memoryBandwidth.BitsPerSecond(), efficiency.memory));
    if (options.kernels)
    {
        m_table = KernelTable::Read(*options.kernels);
    }
}

ComputeModel::Engine
ComputeModel::EngineOf(KernelOp op)
{
    switch (op)
    {
    case KernelOp::Gemm:
    case KernelOp::GroupedGemm:
    case KernelOp::BatchedGemm:
    case KernelOp::Router:
        return Engine::Gemm;
    case KernelOp::AttentionPrefill:
    case KernelOp::AttentionDecode:
    case KernelOp::AttentionForward:
    case KernelOp::AttentionBackward:
        return Engine::Attention;
    default:
        return Engine::Other;
    }
}

SimTime
ComputeModel::ComputeDuration(const ComputeWork& work, TableUse* use) const
{
    // Two roundings up instead of one product of factors: each factor keeps its nine decimals
    // exactly.
    const SimTime scaled = ScaleUp(UnscaledDuration(work, use), m_options.scale);
    const auto straggler = m_options.perRank.find(work.rank.value);
    return straggler == m_options.perRank.end() ? scaled : ScaleUp(scaled, straggler->second);
}

SimTime
ComputeModel::UnscaledDuration(const ComputeWork& work, TableUse* use) const
{
    const bool isKnown =
        work.operations > Flops() || work.memory > Bytes() || (m_table && !work.kernels.empty());
    if (m_options.model == ComputeOptions::Model::Trace || work.isCpu || !isKnown)
    {
        return work.recorded;
    }
    return m_table ? TableTime(work, use)
                   : RooflineTime(work.operations, work.memory, work.kernels);
}

SimTime
ComputeModel::TableTime(const ComputeWork& work, TableUse* use) const
{
    const bool hasRoofline = m_options.outside == ComputeOptions::Outside::Roofline;
    if (work.kernels.empty() && !hasRoofline)
    {
        throw ConfigError(m_table->File(),
                          "cannot say what a compute node takes that names no kernel; write "
                          "system.compute.outside: roofline, or give the node the attribute "
                          "kernels");
    }
    if (work.kernels.empty())
    {
        if (use != nullptr)
        {
            use->CountNameless();
        }
        return RooflineTime(work.operations, work.memory, {});
    }
    const std::vector<KernelTable::Answer> answers = LookUp(work.kernels);
    // Without operations and bytes, the recorded time stands for what the table does not have. It
    // is of all kernels together.
    const bool hasWork = work.operations > Flops() || work.memory > Bytes();
    const bool isRecorded =
        hasRoofline && !hasWork && !std::ranges::all_of(answers, &KernelTable::Answer::IsKnown);
    for (size_t i = 0; i < answers.size() && use != nullptr; ++i)
    {
        use->Count(work.kernels[i], answers[i], answers[i].IsKnown() && !isRecorded);
    }
    return isRecorded ? work.recorded : SumOf(work, answers);
}

/// Of each kernel. Throws ConfigError for one that is outside the table, if nothing else times it.
std::vector<KernelTable::Answer>
ComputeModel::LookUp(std::span<const KernelLaunch> kernels) const
{
    std::vector<KernelTable::Answer> answers;
    for (const KernelLaunch& kernel : kernels)
    {
        answers.push_back(m_table->Find(kernel));
        if (!answers.back().IsKnown() && m_options.outside == ComputeOptions::Outside::Error)
        {
            throw ConfigError(m_table->File(),
                              fmt::format("has no time for the kernel {}: {}; add rows that "
                                          "surround it, or write system.compute.outside: roofline",
                                          ToText(kernel),
                                          answers.back().problem));
        }
    }
    return answers;
}

/// Of the times of the kernels: the table's, or that of the roofline.
SimTime
ComputeModel::SumOf(const ComputeWork& work, std::span<const KernelTable::Answer> answers) const
{
    const std::vector<KernelShare> shares = ShareWork(work.operations, work.memory, work.kernels);
    SimTime sum;
    for (size_t i = 0; i < shares.size(); ++i)
    {
        const std::optional<SimTime>& time = answers[i].time;
        sum = sum + (time ? *time : KernelRoofline(work.kernels[i].op, shares[i]));
    }
    return sum;
}

/// Of one kernel, by what it has of the work of its node.
SimTime
ComputeModel::KernelRoofline(KernelOp op, const KernelShare& share) const
{
    return std::max(share.operations / m_rates[static_cast<size_t>(EngineOf(op))],
                    share.bytes / m_memoryRate);
}

SimTime
ComputeModel::RooflineTime(Flops operations,
                           Bytes memory,
                           std::span<const KernelLaunch> kernels) const
{
    return std::max(OperationsTime(operations, kernels), memory / m_memoryRate);
}

/// By Engine. What the kernels do not account for is work of another kind.
std::array<int64_t, 3>
ComputeModel::CountOperations(Flops operations, std::span<const KernelLaunch> kernels)
{
    std::array<int64_t, 3> counts{};
    int64_t left = operations.Count();
    const std::vector<KernelShare> shares = ShareWork(operations, Bytes(), kernels);
    for (size_t i = 0; i < shares.size(); ++i)
    {
        const int64_t count = shares[i].operations.Count();
        counts[static_cast<size_t>(EngineOf(kernels[i].op))] += count;
        left -= count;
    }
    counts[static_cast<size_t>(Engine::Other)] += left;
    return counts;
}

void
ComputeModel::AddUse(const ComputeWork& work, EfficiencyUse& use)
{
    if (work.isCpu)
    {
        return;
    }
    const std::array<int64_t, 3> counts = CountOperations(work.operations, work.kernels);
    use.gemm |= counts[static_cast<size_t>(Engine::Gemm)] > 0;
    use.attention |= counts[static_cast<size_t>(Engine::Attention)] > 0;
    use.other |= counts[static_cast<size_t>(Engine::Other)] > 0;
    use.memory |= work.memory > Bytes();
}

SimTime
ComputeModel::OperationsTime(Flops operations, std::span<const KernelLaunch> kernels) const
{
    // Where all kinds have one rate, there is one division and one rounding, so it changes no time
    // whether a node names its kernels.
    const bool hasOneRate = m_rates[0] == m_rates[1] && m_rates[0] == m_rates[2];
    if (hasOneRate)
    {
        return operations / m_rates[0];
    }
    const std::array<int64_t, 3> counts = CountOperations(operations, kernels);
    SimTime sum;
    for (size_t i = 0; i < counts.size(); ++i)
    {
        sum = sum + Flops(counts[i]) / m_rates[i];
    }
    return sum;
}

} // namespace nadi
