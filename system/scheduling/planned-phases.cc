// SPDX-License-Identifier: GPL-2.0-only
#include "system/scheduling/planned-phases.h"

#include "network/dimension.h"
#include "system/phase-sizes.h"
#include "system/scheduling/phase-cost.h"

#include <utility>

namespace nadi
{

namespace
{

/// The nominal sizes of a chunk's phases: those of the member with all coordinates 0, whose shards
/// are the smallest, when each reduce-scatter leaves the floor of its part.
/// A plan must be the same on every rank, so the sizes of this one member count for all.
class NominalSizes
{
  public:
    explicit NominalSizes(const std::vector<DimensionModel>& dimensions)
        : m_members(SizesOf(dimensions))
        , m_sizes(m_members,
                  0,
                  [&dimensions](uint32_t dimension, uint64_t elements, uint32_t)
                  { return elements / dimensions[dimension].size; })
    {
    }

    // m_sizes refers to m_members.
    NominalSizes(const NominalSizes&) = delete;
    NominalSizes& operator=(const NominalSizes&) = delete;

    uint64_t ElementsBefore(const ChunkSchedule& chunk, uint32_t phase) const
    {
        return m_sizes.ElementsBefore(chunk, phase, 0);
    }

  private:
    static std::vector<uint32_t> SizesOf(const std::vector<DimensionModel>& dimensions)
    {
        std::vector<uint32_t> sizes;
        for (const DimensionModel& dimension : dimensions)
        {
            sizes.push_back(dimension.size);
        }
        return sizes;
    }

    RankGrid m_members;
    PhaseSizes m_sizes;
};

} // namespace

std::vector<std::vector<PhaseEstimate>>
EstimatePhases(const ScheduleRequest& request, const std::vector<ChunkSchedule>& chunks)
{
    const NominalSizes sizes(request.dimensions);
    std::vector<std::vector<PhaseEstimate>> estimates(chunks.size());
    for (size_t index = 0; index < chunks.size(); ++index)
    {
        const ChunkSchedule& chunk = chunks[index];
        for (uint32_t phase = 0; phase < chunk.phases.size(); ++phase)
        {
            const auto [dimension, type] = chunk.phases[phase];
            const uint64_t elements = sizes.ElementsBefore(chunk, phase);
            const Bytes held = Bytes(static_cast<int64_t>(elements)) * request.elementBytes;
            estimates[index].push_back(
                {.dimension = dimension,
                 .held = held,
                 .cost = ComputePhaseCost(request.dimensions[dimension], type, held)});
        }
    }
    return estimates;
}

std::vector<DimensionLoad>
SumLoads(const ScheduleRequest& request, const std::vector<ChunkSchedule>& chunks)
{
    std::vector<DimensionLoad> loads(request.dimensions.size());
    const std::vector<std::vector<PhaseEstimate>> estimates = EstimatePhases(request, chunks);
    for (size_t chunk = 0; chunk < chunks.size(); ++chunk)
    {
        for (size_t phase = 0; phase < chunks[chunk].phases.size(); ++phase)
        {
            const auto [dimension, type] = chunks[chunk].phases[phase];
            const DimensionModel& model = request.dimensions[dimension];
            loads[dimension].bytes += BusiestPort(model, type, estimates[chunk][phase].held);
            // Chunks share the wires, so the bytes of all add up. While one chunk waits for the
            // latency of a step, others send, so the steps of one chunk count.
            loads[dimension].steps += chunk == 0 ? model.steps[static_cast<size_t>(type)] : 0;
        }
    }
    return loads;
}

} // namespace nadi
