// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/recorded-stage.h"
#include "workload/workload.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// The groups of a new graph, by index: first those of its base, then those that it gets besides.
class GroupOrigins
{
  public:
    /// Of a group besides those of the base; `group` is one of the recorded stage's. Nothing: one
    /// rank of the first and one of the last stage.
    struct Added
    {
        std::string name;
        std::optional<uint32_t> stage;
        uint32_t group = 0;
    };

    /// Tells which group of the base has the members that a group of another recorded stage has
    /// there; nothing: none.
    using Matcher = std::function<std::optional<uint32_t>(uint32_t stage, uint32_t group)>;

    GroupOrigins(const ExecutionGraph& base, Matcher findInBase);

    /// The index of a group of a task that is copied from a recorded stage.
    uint32_t IndexOf(const RecordedStage& source, uint32_t group);

    /// That of all ranks of the base's stage.
    uint32_t IndexOfStage(const RecordedStage& base);

    /// That of the first and the last stage.
    uint32_t IndexOfEnds();

    const std::vector<Added>& AllAdded() const
    {
        return m_added;
    }

  private:
    uint32_t Add(Added added);

    const ExecutionGraph& m_base;
    Matcher m_findInBase;
    std::vector<Added> m_added;
};

} // namespace nadi
