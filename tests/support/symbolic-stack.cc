// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/symbolic-stack.h"

#include "tests/support/symbolic-execution.h"

#include <algorithm>

namespace nadi::symbolic
{
namespace
{

constexpr Schedule SCHEDULE{.seed = 1, .window = 2};

/// `held`, as far as a member owns it by `ranges`, which number its entries.
std::vector<uint32_t>
Select(const std::vector<uint32_t>& held, const std::vector<Interval>& ranges)
{
    std::vector<uint32_t> selected;
    for (const Interval& range : ranges)
    {
        for (uint64_t i = range.begin; i < range.end; ++i)
        {
            selected.push_back(held[i]);
        }
    }
    return selected;
}

} // namespace

Stack::Stack(const RankGrid& grid, uint32_t elements, AlgorithmPerDimension algorithms)
    : m_grid(grid)
    , m_algorithms(std::move(algorithms))
    , m_buffers({.ranks = grid.RankCount(),
                 .rows = 1,
                 .elements = elements,
                 .contributors = grid.RankCount()})
    , m_held(grid.RankCount())
{
    m_buffers.FillWithOwnTokens();
    for (ElementList& held : m_held)
    {
        for (uint32_t element = 0; element < elements; ++element)
        {
            held.push_back(element);
        }
    }
}

void
Stack::Divide(uint32_t dimension)
{
    m_undivided.push_back(m_held);
    for (uint32_t rank = 0; rank < m_grid.RankCount(); ++rank)
    {
        const auto request = RequestFor(CollectiveType::ReduceScatter, dimension, m_held[rank]);
        const auto plan = m_algorithms[dimension]->MakePlan(request);
        m_held[rank] = Select(m_held[rank], plan->OwnedRanges(m_grid.Coordinate(rank, dimension)));
    }
}

std::optional<std::string>
Stack::ReduceScatter(uint32_t dimension)
{
    auto problem = RunLines(CollectiveType::ReduceScatter, dimension, m_held);
    Divide(dimension);
    return problem;
}

std::optional<std::string>
Stack::AllReduce(uint32_t dimension)
{
    return RunLines(CollectiveType::AllReduce, dimension, m_held);
}

std::optional<std::string>
Stack::AllGather(uint32_t dimension)
{
    const std::vector<ElementList> shards = std::move(m_held);
    m_held = m_undivided.back();
    m_undivided.pop_back();
    for (uint32_t rank = 0; rank < m_grid.RankCount(); ++rank)
    {
        const auto request = RequestFor(CollectiveType::AllGather, dimension, m_held[rank]);
        const auto plan = m_algorithms[dimension]->MakePlan(request);
        const auto owned = plan->OwnedRanges(m_grid.Coordinate(rank, dimension));
        if (Select(m_held[rank], owned) != shards[rank])
        {
            return "an all-gather begins with other shards than a reduce-scatter ends with";
        }
    }
    return RunLines(CollectiveType::AllGather, dimension, m_held);
}

PlanRequest
Stack::RequestFor(CollectiveType type, uint32_t dimension, const ElementList& held) const
{
    return {.type = type, .ranks = m_grid.Size(dimension), .elements = held.size()};
}

std::optional<std::string>
Stack::RunLines(CollectiveType type, uint32_t dimension, const std::vector<ElementList>& held)
{
    for (const Line& line : FindLines(m_grid, dimension))
    {
        const ElementList& shared = held[line.front()];
        for (const uint32_t rank : line)
        {
            if (held[rank] != shared)
            {
                return "the members of a line hold different elements";
            }
        }
        const PlanRequest request = RequestFor(type, dimension, shared);
        const auto plan = m_algorithms[dimension]->MakePlan(request);
        Execution execution(*plan, Load(line, shared), SCHEDULE);
        if (auto problem = execution.Run())
        {
            return problem;
        }
        Store(line, shared, execution.Result());
    }
    return std::nullopt;
}

Buffers
Stack::Load(const Line& line, const ElementList& held) const
{
    Buffers buffers({.ranks = static_cast<uint32_t>(line.size()),
                     .rows = 1,
                     .elements = held.size(),
                     .contributors = m_grid.RankCount()});
    for (uint32_t member = 0; member < line.size(); ++member)
    {
        for (uint32_t i = 0; i < held.size(); ++i)
        {
            const auto counts = m_buffers.At(line[member], 0, held[i]);
            std::copy(counts.begin(), counts.end(), buffers.At(member, 0, i).begin());
        }
    }
    return buffers;
}

void
Stack::Store(const Line& line, const ElementList& held, const Buffers& buffers)
{
    for (uint32_t member = 0; member < line.size(); ++member)
    {
        for (uint32_t i = 0; i < held.size(); ++i)
        {
            const auto counts = buffers.At(member, 0, i);
            std::copy(counts.begin(), counts.end(), m_buffers.At(line[member], 0, held[i]).begin());
        }
    }
}

std::vector<Line>
FindLines(const RankGrid& grid, uint32_t dimension)
{
    std::vector<Line> lines;
    for (uint32_t rank = 0; rank < grid.RankCount(); ++rank)
    {
        if (grid.Coordinate(rank, dimension) != 0)
        {
            continue;
        }
        Line& line = lines.emplace_back();
        for (uint32_t i = 0; i < grid.Size(dimension); ++i)
        {
            line.push_back(grid.WithCoordinate(rank, dimension, i));
        }
    }
    return lines;
}

} // namespace nadi::symbolic
