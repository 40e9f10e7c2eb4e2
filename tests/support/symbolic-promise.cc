// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/symbolic-promise.h"

#include <fmt/format.h>

namespace nadi::symbolic
{
namespace
{

/// A cell of the result: an element of a row at a rank.
struct Cell
{
    uint32_t rank = 0;
    uint32_t row = 0;
    uint64_t element = 0;
};

bool
IsDivided(CollectiveType type)
{
    return type == CollectiveType::ReduceScatter || type == CollectiveType::AllGather ||
           type == CollectiveType::AllToAll;
}

/// By element: the rank whose part it is in.
std::vector<uint32_t>
FindOwners(const PlanRequest& request, const CollectivePlan& plan)
{
    std::vector<uint32_t> owners(request.elements, 0);
    for (uint32_t rank = 0; rank < request.ranks; ++rank)
    {
        const std::vector<Interval> ranges =
            IsDivided(request.type)
                ? plan.OwnedRanges(rank)
                : std::vector{PartOf({0, request.elements}, rank, request.ranks)};
        for (const Interval& range : ranges)
        {
            for (uint64_t element = range.begin; element < range.end; ++element)
            {
                owners[element] = rank;
            }
        }
    }
    return owners;
}

/// Which tokens a cell must hold, once each, when a collective has run.
class Promise
{
  public:
    Promise(const PlanRequest& request, const CollectivePlan& plan)
        : m_request(request)
        , m_owners(FindOwners(request, plan))
    {
    }

    /// None where nothing is promised.
    std::optional<RankSet> At(const Cell& cell) const
    {
        const uint32_t owner = m_owners[cell.element];
        const bool isRoot = cell.rank == m_request.root;
        const bool isOwner = cell.rank == owner;
        switch (m_request.type)
        {
        case CollectiveType::AllReduce:
            return Everyone();
        case CollectiveType::ReduceScatter:
            return isOwner ? std::optional(Everyone()) : std::nullopt;
        case CollectiveType::AllGather:
            return Only(owner);
        case CollectiveType::AllToAll:
            return isOwner ? std::optional(Only(cell.row)) : std::nullopt;
        case CollectiveType::Broadcast:
            return Only(m_request.root);
        case CollectiveType::Reduce:
            return isRoot ? std::optional(Everyone()) : std::nullopt;
        case CollectiveType::Gather:
            return isRoot ? std::optional(Only(owner)) : std::nullopt;
        case CollectiveType::Scatter:
            return isOwner ? std::optional(Only(m_request.root)) : std::nullopt;
        case CollectiveType::Barrier:
            return std::nullopt;
        }
        return std::nullopt;
    }

    RankSet Everyone() const
    {
        return ~RankSet{} >> (MAX_RANKS - m_request.ranks);
    }

  private:
    static RankSet Only(uint32_t rank)
    {
        return RankSet{1} << rank;
    }

    const PlanRequest& m_request;
    std::vector<uint32_t> m_owners;
};

bool
HoldsOnceEach(ConstTokenCounts counts, const RankSet& expected)
{
    for (uint32_t contributor = 0; contributor < counts.size(); ++contributor)
    {
        if (counts[contributor] != (expected.test(contributor) ? 1 : 0))
        {
            return false;
        }
    }
    return true;
}

std::optional<std::string>
FindUnheard(const PlanRequest& request, const Promise& promise, const Execution& execution)
{
    for (uint32_t rank = 0; rank < request.ranks; ++rank)
    {
        if ((execution.HeardBy(rank) & promise.Everyone()) != promise.Everyone())
        {
            return fmt::format("rank {} passes the barrier before all have reached it", rank);
        }
    }
    return std::nullopt;
}

} // namespace

Buffers
MakeBuffers(const PlanRequest& request, const CollectivePlan& plan)
{
    Buffers buffers({.ranks = request.ranks + plan.HelperCount(),
                     .rows = request.type == CollectiveType::AllToAll ? request.ranks : 1,
                     .elements = request.elements + plan.ScratchElements(),
                     .contributors = request.ranks});
    buffers.FillWithOwnTokens();
    return buffers;
}

std::optional<std::string>
FindBrokenPartition(const PlanRequest& request, const CollectivePlan& plan)
{
    std::vector<uint32_t> owners(request.elements, 0);
    for (uint32_t rank = 0; rank < request.ranks; ++rank)
    {
        for (const Interval& range : plan.OwnedRanges(rank))
        {
            if (range.begin > range.end || range.end > request.elements)
            {
                return fmt::format("rank {} owns elements outside the buffer", rank);
            }
            for (uint64_t element = range.begin; element < range.end; ++element)
            {
                ++owners[element];
            }
        }
    }
    for (uint64_t element = 0; element < request.elements; ++element)
    {
        if (owners[element] != 1)
        {
            return fmt::format("element {} has {} owners", element, owners[element]);
        }
    }
    return std::nullopt;
}

std::optional<std::string>
FindBrokenPromise(const PlanRequest& request,
                  const CollectivePlan& plan,
                  const Execution& execution)
{
    const Promise promise(request, plan);
    const Buffers& result = execution.Result();
    for (Cell cell; cell.rank < request.ranks; ++cell.rank)
    {
        for (cell.row = 0; cell.row < result.GetShape().rows; ++cell.row)
        {
            for (cell.element = 0; cell.element < request.elements; ++cell.element)
            {
                const std::optional<RankSet> expected = promise.At(cell);
                const auto counts = result.At(cell.rank, cell.row, cell.element);
                const bool isOwn = result.HeldAt(cell.rank, cell.row, cell.element) == cell.element;
                if (expected && !(isOwn && HoldsOnceEach(counts, *expected)))
                {
                    return fmt::format("rank {} holds wrong tokens in element {} of row {}",
                                       cell.rank,
                                       cell.element,
                                       cell.row);
                }
            }
        }
    }
    if (request.type == CollectiveType::Barrier)
    {
        return FindUnheard(request, promise, execution);
    }
    return std::nullopt;
}

std::optional<std::string>
FindProblem(const PlanRequest& request, const CollectivePlan& plan, const Schedule& schedule)
{
    if (IsDivided(request.type))
    {
        if (auto problem = FindBrokenPartition(request, plan))
        {
            return problem;
        }
    }
    Execution execution(plan, MakeBuffers(request, plan), schedule);
    if (auto problem = execution.Run())
    {
        return problem;
    }
    return FindBrokenPromise(request, plan, execution);
}

} // namespace nadi::symbolic
