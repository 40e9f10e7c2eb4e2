// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/what-if/shapes/shape-sizes.h"

#include <cstdint>
#include <string>

namespace nadi
{

/// The sizes that the kernels of one rank show. Each kind of size is the same wherever it is met.
class SizeSightings
{
  public:
    /// `wish`: the edit that asks, for messages: "what-if: hidden". The graph outlives it.
    SizeSightings(const ExecutionGraph& graph, std::string wish)
        : m_graph(graph)
        , m_wish(std::move(wish))
    {
    }

    const ExecutionGraph& Graph() const
    {
        return m_graph;
    }

    /// Throws ConfigError where another task shows another value.
    void Note(uint64_t ShapeSizes::*field, uint64_t value, uint32_t node);

    const ShapeSizes& Seen() const
    {
        return m_seen;
    }

    /// Throws ConfigError: the edit is refused, because of what the task is.
    [[noreturn]] void Refuse(uint32_t node, const std::string& why) const;

  private:
    const ExecutionGraph& m_graph;
    std::string m_wish;
    ShapeSizes m_seen;
};

} // namespace nadi
