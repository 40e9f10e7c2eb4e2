// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/scaling.h"

#include "common/error.h"
#include "workload/document/node-attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace nadi
{

namespace
{

using ChakraProtoMsg::Node;

/// Of one part of an all-to-all, so that no sum overflows.
constexpr int64_t MOST_ELEMENTS = int64_t{1} << 40;

/// The product, rounded half up. Throws ConfigError at the node where it passes 63 bits.
int64_t
MultiplyExactly(int64_t number, double factor, const Node& node, const std::string& source)
{
    // A double has 53 bits and would change large numbers that are not scaled.
    const long double product = std::floor(static_cast<long double>(number) * factor + 0.5L);
    // This is checked before the cast, which is undefined for numbers that do not fit.
    if (std::fabs(product) >= static_cast<long double>(std::numeric_limits<int64_t>::max()))
    {
        throw ConfigError(source,
                          fmt::format("node {} (\"{}\"): {} times {} passes 63 bits; scale by less",
                                      node.id(),
                                      node.name(),
                                      number,
                                      factor));
    }
    return static_cast<int64_t>(product);
}

bool
IsMemoryNode(const Node& node)
{
    return node.type() == ChakraProtoMsg::MEM_LOAD_NODE ||
           node.type() == ChakraProtoMsg::MEM_STORE_NODE;
}

bool
ScaleSize(Node& node, NodeAttribute meaning, double factor, const std::string& source)
{
    const AttributeValue value = GetAttribute(node, meaning);
    if (!IsPresent(value))
    {
        return false;
    }
    const auto size = ToInteger(value);
    if (!size || *size < 0)
    {
        throw ConfigError(source,
                          fmt::format("node {} (\"{}\"): {} is no size; write a whole number",
                                      node.id(),
                                      node.name(),
                                      ToText(meaning)));
    }
    SetNumber(node, meaning, MultiplyExactly(*size, factor, node, source));
    return true;
}

/// `numbers` as parts of `size`: cut where they are cut, rounded down.
std::vector<int64_t>
CutAlike(const std::vector<int64_t>& numbers, int64_t size)
{
    const auto sum = std::accumulate(numbers.begin(), numbers.end(), int64_t{0});
    std::vector<int64_t> parts;
    int64_t passed = 0;
    int64_t begin = 0;
    for (const int64_t number : numbers)
    {
        passed += number;
        // The ends of the parts are rounded, and not the parts, so that these add up to the size.
        const long double share = static_cast<long double>(passed) * static_cast<long double>(size);
        // The last end is the size itself, so that rounding loses no element.
        const int64_t end = passed == sum ? size : static_cast<int64_t>(std::floor(share / sum));
        parts.push_back(end - begin);
        begin = end;
    }
    return parts;
}

/// The parts of an all-to-all still add up to its size, in its unit. What others receive is rounded
/// elsewhere by them, so that it is no longer said.
void
ScaleSplits(Node& node)
{
    const SplitNumbers sends = GetSplits(node, SplitList::In);
    const auto size = ToInteger(GetAttribute(node, FindSizeAttribute(node)));
    const bool areSizes = std::ranges::all_of(
        sends.numbers, [](int64_t number) { return number >= 0 && number < MOST_ELEMENTS; });
    // Without a size, and where splits are no sizes or all 0, there is nothing to cut alike.
    if (!size || !areSizes || std::ranges::count(sends.numbers, 0) == std::ssize(sends.numbers))
    {
        return;
    }
    SetSplits(node, SplitList::In, CutAlike(sends.numbers, *size));
    SetSplits(node, SplitList::Out, {});
}

} // namespace

Scaling::Scaling(std::vector<std::string> traces, const ScaleFactors& factors, ProcessGroups groups)
    : m_traces(std::move(traces))
    , m_factors(factors)
    , m_groups(std::move(groups))
{
}

uint32_t
Scaling::RankCount() const
{
    return static_cast<uint32_t>(m_traces.size());
}

ProcessGroups
Scaling::Groups() const
{
    return m_groups;
}

TraceDocument
Scaling::MakeDocument(uint32_t rank)
{
    TraceDocument document = ReadDocument(m_traces[rank]);
    for (Node& node : document.nodes)
    {
        if (m_factors.types.empty() || m_factors.types.contains(node.type()))
        {
            Scale(node, m_traces[rank]);
        }
    }
    return document;
}

void
Scaling::Scale(Node& node, const std::string& source)
{
    // A factor of 1 leaves the values as they were written.
    if (m_factors.sizes != 1)
    {
        const bool hasSize =
            ScaleSize(node, NodeAttribute::CommunicationSize, m_factors.sizes, source);
        const bool hasTensor = ScaleSize(node, NodeAttribute::TensorSize, m_factors.sizes, source);
        const bool hasBytes = IsMemoryNode(node) &&
                              ScaleSize(node, NodeAttribute::BytesMoved, m_factors.sizes, source);
        m_sizes += hasSize || hasTensor || hasBytes ? 1 : 0;
        // Order: after ScaleSize, as the parts are cut out of the scaled size.
        ScaleSplits(node);
    }
    if (m_factors.durations == 1)
    {
        return;
    }
    // What is no duration stays as it was written, so that readers can refuse it.
    if (const int64_t duration = GetDurationNanos(node); duration > 0)
    {
        SetDurationNanos(node, MultiplyExactly(duration, m_factors.durations, node, source));
        ScaleWait(node, source);
        ++m_durations;
    }
    const int64_t start = GetStartNanos(node);
    // A start follows from the durations of the nodes before it. Where only some types are scaled,
    // no factor fits it.
    m_keepsStarts = m_keepsStarts || (start > 0 && !m_factors.types.empty());
    if (m_factors.types.empty())
    {
        SetStartNanos(node, MultiplyExactly(start, m_factors.durations, node, source));
    }
}

/// The wait is a part of the duration. What is no time stays, so that readers can refuse it.
void
Scaling::ScaleWait(Node& node, const std::string& source) const
{
    const auto wait = ToInteger(GetAttribute(node, NodeAttribute::WaitNanos));
    if (wait && *wait > 0)
    {
        SetNumber(node,
                  NodeAttribute::WaitNanos,
                  MultiplyExactly(*wait, m_factors.durations, node, source));
    }
}

std::vector<std::string>
Scaling::Notes() const
{
    std::vector<std::string> notes{
        fmt::format("the sizes of {} nodes and the durations of {} are scaled; they are rounded "
                    "half up to whole bytes and nanoseconds",
                    m_sizes,
                    m_durations)};
    if (m_keepsStarts)
    {
        notes.emplace_back("recorded starts stay as they are, since not all durations are scaled");
    }
    return notes;
}

} // namespace nadi
