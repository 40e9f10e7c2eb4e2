// SPDX-License-Identifier: GPL-2.0-only
// Do phases along one dimension at a time make up the collective over the whole stack?
#include "system/collective-plan.h"
#include "tests/support/endpoint-algorithms.h"
#include "tests/support/symbolic-all-to-all.h"
#include "tests/support/symbolic-stack.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

using namespace nadi;
using symbolic::AlgorithmPerDimension;
using symbolic::Stack;

namespace
{

using Order = std::vector<uint32_t>; // of dimensions

struct StackCase
{
    const RankGrid& grid;
    const AlgorithmPerDimension& algorithms;
    const Order& order;
};

const std::vector<std::vector<uint32_t>> STACKS = {{2, 3}, {4, 2}, {3, 2, 2}, {2, 2, 2}, {5, 3}};

/// Calls `visit` for each way to choose an algorithm per dimension.
void
ForEveryChoice(const std::vector<std::unique_ptr<CollectiveAlgorithm>>& algorithms,
               size_t dimensions,
               const std::function<void(const AlgorithmPerDimension&)>& visit)
{
    size_t choices = 1;
    for (size_t d = 0; d < dimensions; ++d)
    {
        choices *= algorithms.size();
    }
    for (size_t choice = 0; choice < choices; ++choice)
    {
        AlgorithmPerDimension chosen;
        size_t rest = choice;
        for (size_t d = 0; d < dimensions; ++d, rest /= algorithms.size())
        {
            chosen.push_back(algorithms[rest % algorithms.size()].get());
        }
        visit(chosen);
    }
}

/// Calls `visit` for every stack, order of its dimensions, and mix of algorithms for `type`.
void
ForEveryStack(CollectiveType type, const std::function<void(const StackCase&)>& visit)
{
    std::vector<std::unique_ptr<CollectiveAlgorithm>> algorithms;
    for (const std::string& name : test::EndpointAlgorithmsFor(type))
    {
        algorithms.push_back(Registry<CollectiveAlgorithm>::Instance().Make(name));
    }
    REQUIRE(algorithms.size() >= 3);
    for (const auto& sizes : STACKS)
    {
        const RankGrid grid(sizes);
        Order order(sizes.size());
        std::iota(order.begin(), order.end(), 0U);
        do
        {
            const auto visitChoice = [&](const AlgorithmPerDimension& chosen) {
                visit({grid, chosen, order});
            };
            ForEveryChoice(algorithms, sizes.size(), visitChoice);
        }
        while (std::next_permutation(order.begin(), order.end()));
    }
}

/// More elements than ranks, and not a multiple of them.
uint32_t
UnevenSize(const RankGrid& grid)
{
    return 2 * grid.RankCount() + 3;
}

bool
HoldsAllOnce(const Stack& stack, uint32_t rank)
{
    return std::all_of(stack.HeldBy(rank).begin(),
                       stack.HeldBy(rank).end(),
                       [&](uint32_t element)
                       {
                           const auto counts = stack.At(rank, element);
                           return std::all_of(counts.begin(),
                                              counts.end(),
                                              [](uint8_t count) { return count == 1; });
                       });
}

/// By element: the rank that holds it; each must be held once.
std::vector<uint32_t>
FindHolders(const Stack& stack, const RankGrid& grid)
{
    std::vector<uint32_t> holders(UnevenSize(grid));
    std::vector<uint32_t> times(holders.size(), 0);
    for (uint32_t rank = 0; rank < grid.RankCount(); ++rank)
    {
        for (const uint32_t element : stack.HeldBy(rank))
        {
            holders[element] = rank;
            ++times[element];
        }
    }
    CHECK(times == std::vector<uint32_t>(times.size(), 1));
    return holders;
}

void
CheckAllReduced(const Stack& stack, const RankGrid& grid)
{
    for (uint32_t rank = 0; rank < grid.RankCount(); ++rank)
    {
        CHECK(stack.HeldBy(rank).size() == UnevenSize(grid));
        CHECK(HoldsAllOnce(stack, rank));
    }
}

} // namespace

TEST_CASE("Stack: reduce-scatter in any order, then all-gather in reverse, is an all-reduce",
          "[property][system][symbolic]")
{
    ForEveryStack(CollectiveType::ReduceScatter,
                  [](const StackCase& c)
                  {
                      Stack stack(c.grid, UnevenSize(c.grid), c.algorithms);
                      for (const uint32_t d : c.order)
                      {
                          REQUIRE(stack.ReduceScatter(d).value_or("") == "");
                      }
                      for (auto d = c.order.rbegin(); d != c.order.rend(); ++d)
                      {
                          REQUIRE(stack.AllGather(*d).value_or("") == "");
                      }
                      CheckAllReduced(stack, c.grid);
                  });
}

TEST_CASE("Stack: the last dimension may all-reduce between scatter and gather",
          "[property][system][symbolic]")
{
    ForEveryStack(CollectiveType::ReduceScatter,
                  [](const StackCase& c)
                  {
                      Stack stack(c.grid, UnevenSize(c.grid), c.algorithms);
                      for (auto d = c.order.begin(); d != c.order.end() - 1; ++d)
                      {
                          REQUIRE(stack.ReduceScatter(*d).value_or("") == "");
                      }
                      REQUIRE(stack.AllReduce(c.order.back()).value_or("") == "");
                      for (auto d = c.order.rbegin() + 1; d != c.order.rend(); ++d)
                      {
                          REQUIRE(stack.AllGather(*d).value_or("") == "");
                      }
                      CheckAllReduced(stack, c.grid);
                  });
}

TEST_CASE("Stack: an all-reduce on every dimension in turn is one over all",
          "[property][system][symbolic]")
{
    ForEveryStack(CollectiveType::AllReduce,
                  [](const StackCase& c)
                  {
                      Stack stack(c.grid, UnevenSize(c.grid), c.algorithms);
                      for (const uint32_t d : c.order)
                      {
                          REQUIRE(stack.AllReduce(d).value_or("") == "");
                      }
                      CheckAllReduced(stack, c.grid);
                  });
}

TEST_CASE("Stack: reduce-scatter in any order leaves every element reduced at one rank",
          "[property][system][symbolic]")
{
    ForEveryStack(CollectiveType::ReduceScatter,
                  [](const StackCase& c)
                  {
                      Stack stack(c.grid, UnevenSize(c.grid), c.algorithms);
                      for (const uint32_t d : c.order)
                      {
                          REQUIRE(stack.ReduceScatter(d).value_or("") == "");
                      }
                      FindHolders(stack, c.grid);
                      for (uint32_t rank = 0; rank < c.grid.RankCount(); ++rank)
                      {
                          CHECK(HoldsAllOnce(stack, rank));
                      }
                  });
}

TEST_CASE("Stack: all-gather in any order brings every shard to every rank",
          "[property][system][symbolic]")
{
    ForEveryStack(CollectiveType::AllGather,
                  [](const StackCase& c)
                  {
                      Stack stack(c.grid, UnevenSize(c.grid), c.algorithms);
                      for (auto d = c.order.rbegin(); d != c.order.rend(); ++d)
                      {
                          stack.Divide(*d);
                      }
                      const std::vector<uint32_t> holders = FindHolders(stack, c.grid);
                      for (const uint32_t d : c.order)
                      {
                          REQUIRE(stack.AllGather(d).value_or("") == "");
                      }
                      for (uint32_t rank = 0; rank < c.grid.RankCount(); ++rank)
                      {
                          for (uint32_t element = 0; element < holders.size(); ++element)
                          {
                              const auto counts = stack.At(rank, element);
                              std::vector<uint8_t> expected(c.grid.RankCount(), 0);
                              expected[holders[element]] = 1;
                              CHECK(std::equal(counts.begin(), counts.end(), expected.begin()));
                          }
                      }
                  });
}

TEST_CASE("Stack: all-to-all dimension by dimension, in any order, is one over all",
          "[property][system][symbolic]")
{
    ForEveryStack(CollectiveType::AllToAll,
                  [](const StackCase& c)
                  {
                      const auto problem =
                          symbolic::FindAllToAllProblem(c.grid, c.algorithms, c.order);
                      CHECK(problem.value_or("") == "");
                  });
}

TEST_CASE("Stack: a dimension that is left out of an all-reduce is missed",
          "[property][system][symbolic]")
{
    ForEveryStack(CollectiveType::ReduceScatter,
                  [](const StackCase& c)
                  {
                      Stack stack(c.grid, UnevenSize(c.grid), c.algorithms);
                      REQUIRE_FALSE(stack.ReduceScatter(c.order[0]));
                      REQUIRE_FALSE(stack.AllGather(c.order[0]));
                      CHECK_FALSE(HoldsAllOnce(stack, 0));
                  });
}
