// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/synthesis-report.h"

#include "workload/tools/synthesis/autocorrelation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nadi
{

namespace
{

/// The part of sorted values that is at most `value`; `passed` moves on to their number.
double
ShareUpTo(const std::vector<uint64_t>& sorted, size_t& passed, uint64_t value)
{
    while (passed < sorted.size() && sorted[passed] <= value)
    {
        ++passed;
    }
    return static_cast<double>(passed) / static_cast<double>(sorted.size());
}

double
ComputeShare(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

} // namespace

double
ComputeKolmogorovSmirnov(std::vector<uint64_t> left, std::vector<uint64_t> right)
{
    if (left.empty() || right.empty())
    {
        return left.size() == right.size() ? 0 : 1;
    }
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    size_t passedLeft = 0;
    size_t passedRight = 0;
    double distance = 0;
    // Once all of one sample is passed, its share is 1, and that of the other sample only comes
    // closer to 1.
    while (passedLeft < left.size() && passedRight < right.size())
    {
        const uint64_t value = std::min(left[passedLeft], right[passedRight]);
        distance = std::max(
            distance,
            std::abs(ShareUpTo(left, passedLeft, value) - ShareUpTo(right, passedRight, value)));
    }
    return distance;
}

SynthesisReport::SynthesisReport(const TraceModel& model)
    : m_model(model)
    , m_synthetic(model.classes.size())
{
}

/// Each class begins a sequence for the rank, as values of different ranks do not follow one
/// another.
void
SynthesisReport::AddRank(const SyntheticRank& rank)
{
    for (ClassSamples& samples : m_synthetic)
    {
        samples.BeginRank();
    }
    for (uint32_t node = 0; node < rank.graph.NodeCount(); ++node)
    {
        m_synthetic[rank.classes[node]].Add(QuantitiesOf(rank.graph.Node(node)));
    }
}

/// Both correlations are those of the leading quantity, in the unit of the recorded values, so that
/// they are measured alike.
ClassComparison
SynthesisReport::CompareClass(size_t index) const
{
    const ClassModel& model = m_model.classes[index];
    const ClassSamples& recorded = model.recorded;
    const ClassSamples& synthetic = m_synthetic[index];
    const uint64_t unit = model.quantities[static_cast<size_t>(model.leading)].Unit();
    ClassComparison comparison{.name = Describe(model.nodeClass, m_model.master),
                               .recorded = recorded.Count(),
                               .synthetic = synthetic.Count()};
    for (const NodeQuantity quantity : NODE_QUANTITIES)
    {
        comparison.distances[static_cast<size_t>(quantity)] =
            ComputeKolmogorovSmirnov(recorded.Values(quantity), synthetic.Values(quantity));
    }
    comparison.recordedCorrelation = ComputeLagCorrelation(recorded.Sequences(model.leading), unit);
    comparison.syntheticCorrelation =
        ComputeLagCorrelation(synthetic.Sequences(model.leading), unit);
    return comparison;
}

std::vector<ClassComparison>
SynthesisReport::Compare() const
{
    std::vector<ClassComparison> comparison;
    uint64_t recorded = 0;
    uint64_t synthetic = 0;
    for (size_t index = 0; index < m_synthetic.size(); ++index)
    {
        comparison.push_back(CompareClass(index));
        recorded += comparison.back().recorded;
        synthetic += comparison.back().synthetic;
    }
    for (ClassComparison& one : comparison)
    {
        one.recordedShare = ComputeShare(one.recorded, recorded);
        one.syntheticShare = ComputeShare(one.synthetic, synthetic);
    }
    return comparison;
}

std::string
FormatComparison(const std::vector<ClassComparison>& comparison)
{
    size_t width = 4;
    for (const ClassComparison& one : comparison)
    {
        width = std::max(width, one.name.size());
    }
    std::string text =
        fmt::format("{:{}}  {:^17}  {:^17}  {:^24}  {:^15}\n"
                    "{:{}}  {:>8} {:>8}  {:>8} {:>8}  {:>8} {:>7} {:>7}  {:>7} {:>7}\n",
                    "",
                    width,
                    "nodes",
                    "share of nodes",
                    "KS distance",
                    "autocorrelation",
                    "type",
                    width,
                    "recorded",
                    "made",
                    "recorded",
                    "made",
                    "duration",
                    "size",
                    "ops",
                    "rec.",
                    "made");
    for (const ClassComparison& one : comparison)
    {
        text += fmt::format(
            "{:{}}  {:8} {:8}  {:7.2f}% {:7.2f}%  {:8.3f} {:7.3f} {:7.3f}  {:7.3f} {:7.3f}\n",
            one.name,
            width,
            one.recorded,
            one.synthetic,
            100 * one.recordedShare,
            100 * one.syntheticShare,
            one.distances[0],
            one.distances[1],
            one.distances[2],
            one.recordedCorrelation,
            one.syntheticCorrelation);
    }
    return text;
}

} // namespace nadi
