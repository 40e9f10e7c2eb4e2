// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/memo/period-labels.h"

#include "common/check.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace nadi
{

namespace
{

/// Stands for the label of a link that has not appeared.
constexpr uint64_t NO_LABEL = std::numeric_limits<uint64_t>::max();

/// Tells the number of a program from a number of bytes.
constexpr uint64_t IS_TRAFFIC = uint64_t{1} << 63;

void
SortAndUnite(std::vector<uint64_t>& names)
{
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
}

} // namespace

/// The labels of ways count only with the present stamp, so a new stamp forgets all of them at
/// once.
void
PeriodLabels::Reset(uint64_t stamp)
{
    m_stamp = stamp;
    m_wayCount = 0;
    m_vertexNames.clear();
    m_linkNames.clear();
    m_streamNames.clear();
    m_links.clear();
}

void
PeriodLabels::Describe(int64_t after,
                       std::vector<PeriodInput>& inputs,
                       WayTable& ways,
                       std::vector<uint64_t>& words)
{
    // The words of an instant are: the time; how many ways are new, and what is new with them
    // (AddWays); how many streams are new, and where each stands among those before; then, to the
    // end, the name of each input and what it is. Earlier words tell how long each list is, or it
    // runs to the end. So equal words mean equal descriptions.
    words.push_back(static_cast<uint64_t>(after));
    std::vector<uint32_t> newWays;
    std::vector<uint64_t> newStreams;
    const auto addNew = [&](uint32_t way)
    {
        if (ways[way].stamp != m_stamp)
        {
            newWays.push_back(way);
        }
    };
    for (const PeriodInput& input : inputs)
    {
        if (input.IsMessage())
        {
            addNew(input.way);
        }
        else
        {
            std::for_each(ways.Set(input.way).ways.begin(), ways.Set(input.way).ways.end(), addNew);
        }
        if (!Has(m_streamNames, input.message.stream.value))
        {
            newStreams.push_back(input.message.stream.value);
        }
    }
    AddWays(newWays, ways, words);
    SortAndUnite(newStreams);
    AddNames(m_streamNames, newStreams, words);
    SortByName(inputs, ways);
    for (size_t i = 0; i < inputs.size(); ++i)
    {
        words.push_back(m_sorting[i].name);
        AddInput(inputs[i], ways, words);
    }
}

/// What it is, besides its stream and first way. The program says how many ways there are.
void
PeriodLabels::AddInput(const PeriodInput& input, WayTable& ways, std::vector<uint64_t>& words)
{
    if (input.IsMessage())
    {
        words.push_back(static_cast<uint64_t>(input.message.Carried().Count()));
        return;
    }
    words.push_back(IS_TRAFFIC | input.program);
    for (const uint32_t way : ways.Set(input.way).ways)
    {
        words.push_back(ways[way].label);
    }
}

/// Leaves their names in m_sorting, in the same order.
void
PeriodLabels::SortByName(std::vector<PeriodInput>& inputs, WayTable& ways)
{
    m_sorting.clear();
    for (const PeriodInput& input : inputs)
    {
        const uint64_t stream = LabelOf(m_streamNames, input.message.stream.value);
        const uint32_t way = input.IsMessage() ? input.way : ways.Set(input.way).ways.front();
        m_sorting.push_back(
            {uint64_t{ways[way].label} << 32 | stream, static_cast<uint32_t>(m_sorting.size())});
    }
    const auto isBefore = [](const Sorting& a, const Sorting& b) { return a.name < b.name; };
    if (std::is_sorted(m_sorting.begin(), m_sorting.end(), isBefore))
    {
        return;
    }
    std::stable_sort(m_sorting.begin(), m_sorting.end(), isBefore);
    std::vector<PeriodInput> sorted;
    sorted.reserve(inputs.size());
    for (const Sorting& next : m_sorting)
    {
        sorted.push_back(inputs[next.input]);
    }
    inputs.swap(sorted);
}

/// How many of the names come before it.
size_t
PeriodLabels::PositionOf(const Names& names, uint64_t name)
{
    const auto isBefore = [](const Known& known, uint64_t asked) { return known.name < asked; };
    return static_cast<size_t>(std::lower_bound(names.begin(), names.end(), name, isBefore) -
                               names.begin());
}

bool
PeriodLabels::Has(const Names& names, uint64_t name)
{
    const size_t position = PositionOf(names, name);
    return position < names.size() && names[position].name == name;
}

uint32_t
PeriodLabels::LabelOf(const Names& names, uint64_t name)
{
    const size_t position = PositionOf(names, name);
    NADI_CHECK(position < names.size() && names[position].name == name);
    return names[position].label;
}

/// Requires: `added` are new, different and in ascending order.
void
PeriodLabels::AddNames(Names& names, std::vector<uint64_t>& added, std::vector<uint64_t>& words)
{
    words.push_back(added.size());
    auto label = static_cast<uint32_t>(names.size());
    Names known;
    for (const uint64_t name : added)
    {
        // Among those that were known before; that the new ones ascend is understood.
        words.push_back(PositionOf(names, name));
        known.push_back({name, label++});
    }
    const auto middle = static_cast<std::ptrdiff_t>(names.size());
    names.insert(names.end(), known.begin(), known.end());
    const auto isBefore = [](const Known& a, const Known& b) { return a.name < b.name; };
    std::inplace_merge(names.begin(), names.begin() + middle, names.end(), isBefore);
}

/// Describes each new way by what is new with it: vertices, then links, then the way itself as
/// labels of these. A way that is known is not described again, since its label says all.
void
PeriodLabels::AddWays(std::vector<uint32_t>& added, WayTable& ways, std::vector<uint64_t>& words)
{
    const auto nameOf = [&](uint32_t way)
    { return std::make_tuple(ways[way].source, ways[way].destination, ways[way].identity); };
    // Sorted by identities, since the labels must not depend on the order in which ranks acted.
    std::sort(
        added.begin(), added.end(), [&](uint32_t a, uint32_t b) { return nameOf(a) < nameOf(b); });
    added.erase(std::unique(added.begin(), added.end()), added.end());
    words.push_back(added.size());
    if (added.empty())
    {
        return;
    }
    std::vector<uint64_t> links;
    for (const uint32_t way : added)
    {
        for (const auto* path : {&ways[way].forward, &ways[way].reverse})
        {
            for (const LinkId link : *path)
            {
                if (!Has(m_linkNames, link.value))
                {
                    links.push_back(link.value);
                }
            }
        }
    }
    SortAndUnite(links);
    AddVertices(links, words);
    AddLinks(links, words);
    for (const uint32_t index : added)
    {
        Way& way = ways[index];
        way.stamp = m_stamp;
        way.label = m_wayCount++;
        words.push_back(LabelOf(m_vertexNames, way.source.value));
        words.push_back(LabelOf(m_vertexNames, way.destination.value));
        AddPath(way.forward, words);
        AddPath(way.reverse, words);
    }
}

/// The ends of these links.
void
PeriodLabels::AddVertices(const std::vector<uint64_t>& links, std::vector<uint64_t>& words)
{
    std::vector<uint64_t> vertices;
    for (const uint64_t link : links)
    {
        const TopologyLink& added = m_topology->Link(LinkId{static_cast<uint32_t>(link)});
        for (const VertexId end : {added.from, added.to})
        {
            if (!Has(m_vertexNames, end.value))
            {
                vertices.push_back(end.value);
            }
        }
    }
    SortAndUnite(vertices);
    AddNames(m_vertexNames, vertices, words);
    for (const uint64_t vertex : vertices)
    {
        words.push_back(m_classes->ofVertex[vertex]);
    }
}

void
PeriodLabels::AddLinks(std::vector<uint64_t>& links, std::vector<uint64_t>& words)
{
    AddNames(m_linkNames, links, words);
    for (const uint64_t link : links)
    {
        const TopologyLink& added = m_topology->Link(LinkId{static_cast<uint32_t>(link)});
        const uint64_t reverse = added.reverse.value;
        words.push_back(m_classes->ofLink[link]);
        words.push_back(LabelOf(m_vertexNames, added.from.value));
        words.push_back(LabelOf(m_vertexNames, added.to.value));
        // It matters which two links are the two directions of one: a pause of one goes over the
        // other.
        words.push_back(Has(m_linkNames, reverse) ? LabelOf(m_linkNames, reverse) : NO_LABEL);
        m_links.push_back(added.id);
    }
}

void
PeriodLabels::AddPath(const std::vector<LinkId>& path, std::vector<uint64_t>& words) const
{
    words.push_back(path.size());
    for (const LinkId link : path)
    {
        words.push_back(LabelOf(m_linkNames, link.value));
    }
}

} // namespace nadi
