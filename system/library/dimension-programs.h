// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/algorithm-table.h"
#include "system/library/collective-program.h"
#include "system/library/dimension-model.h"
#include "system/library/installed-library.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace nadi
{

/// Makes programs whose chunks cross the dimensions one after the other, each with the algorithms
/// that `system.collectives` names and in the order that the scheduling policies plan.
///
/// For any library: what it has no plans of its own for, it can leave to this.
class DimensionPrograms
{
  public:
    /// The references outlive it. `protocol` is that of all messages.
    DimensionPrograms(const LibrarySurroundings& surroundings, const Protocol& protocol);

    LayoutKind LayoutFor(CollectiveType type) const
    {
        return m_algorithms.IsFlat(type) ? LayoutKind::Flat : LayoutKind::Stacked;
    }

    /// Takes in an algorithm of the library's own, for programs that it makes itself. Owner: this.
    const ChosenAlgorithm& Add(const std::string& name,
                               std::unique_ptr<CollectiveAlgorithm> algorithm)
    {
        return m_algorithms.Add(name, std::move(algorithm));
    }

    /// As InstalledLibrary::MakeProgram.
    CollectiveProgram Make(const ProgramRequest& request);

  private:
    void Plan(CollectiveProgram& program, const ProgramRequest& request);
    std::optional<uint32_t> FindForcedChunks(const ProgramRequest& request);
    bool IsFilledBySlices(const ProgramRequest& request);
    uint32_t MostAutomaticChunks(const ProgramRequest& request);
    const ChosenAlgorithm*
    FindAlgorithm(const ProgramRequest& request, uint32_t dimension, CollectiveType phase);
    void ChooseAlgorithms(CollectiveProgram& program, const ProgramRequest& request);
    Bytes SizeOf(const ProgramRequest& request) const;

    const SystemOptions& m_options;
    const Protocol& m_protocol;
    AlgorithmTable m_algorithms;
    DimensionModels m_models;
};

} // namespace nadi
