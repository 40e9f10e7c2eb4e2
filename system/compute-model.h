// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "system/kernels/kernel-shares.h"
#include "system/kernels/kernel-table.h"
#include "system/kernels/table-use.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nadi
{

/// Shares of the roofline's rates that kernels reach, above 0; `system.compute.efficiency`.
struct KernelEfficiency
{
    double gemm = 1.0;      ///< of the peak: products of matrices, grouped ones and routers too
    double attention = 1.0; ///< of the peak: cores of the attention
    double other = 1.0;     ///< of the peak: other kernels, and nodes that name none
    double memory = 1.0;    ///< of the memory bandwidth, whatever the kernel

    bool operator==(const KernelEfficiency&) const = default;
};

/// How long compute takes; `system.compute`.
struct ComputeOptions
{
    enum class Model
    {
        Trace,    ///< the recorded duration
        Roofline, ///< max(operations / peak, bytes / memory bandwidth)
    };

    /// What a kernel takes of which the table says nothing.
    enum class Outside
    {
        Error,
        Roofline,
    };

    Model model = Model::Trace;
    FlopRate peak;                      ///< roofline
    Bandwidth memoryBandwidth;          ///< roofline
    KernelEfficiency efficiency;        ///< roofline
    std::optional<std::string> kernels; ///< roofline: the file of a table that goes before it
    Outside outside = Outside::Error;   ///< with `kernels`
    double scale = 1.0;                 ///< on every duration
    std::map<uint32_t, double> perRank; ///< further factors, by rank: stragglers
};

/// One compute node.
struct ComputeWork
{
    RankId rank;
    SimTime recorded; ///< duration of the trace
    Flops operations;
    Bytes memory;       ///< tensor_size
    bool isCpu = false; ///< always timed by its recorded duration
    /// That the node runs, one after the other; none: not said.
    std::span<const KernelLaunch> kernels = {};
};

/// Whether a node has work that runs at each share of KernelEfficiency.
struct EfficiencyUse
{
    bool gemm = false;
    bool attention = false;
    bool other = false;
    bool memory = false;
};

/// Duration of compute nodes; pure.
///
/// The roofline of a node is max(sum over kinds of operations / (peak x efficiency), bytes /
/// (memory bandwidth x efficiency)): its kernels overlap arithmetic and traffic as one. A table
/// says the time of each of its kernels, which add up. ShareWork says what each kernel has of the
/// work of its node.
///
/// `scale` and the rank's factor multiply every duration, those of CPU nodes too: a straggler is a
/// slow host as much as a slow NPU. Factors count to nine decimals.
class ComputeModel
{
  public:
    /// Reads the table. Throws ConfigError for a bad one (KernelTable::Read). Requires: under the
    /// roofline, both rates and all efficiencies are above 0.
    explicit ComputeModel(const ComputeOptions& options);

    /// Rounded up to a picosecond, and again for each factor. Under the roofline a node without
    /// operations and bytes, and of which the table does not say all, falls back to its recorded
    /// duration (S. Williams, A. Waterman, D. Patterson, "Roofline", 2009).
    ///
    /// Throws ConfigError at the table, naming kernel and sizes, for one that is outside it.
    ///
    /// `use`, if any, counts what the table timed.
    SimTime ComputeDuration(const ComputeWork& work, TableUse* use = nullptr) const;

    /// Adds what the roofline of a node uses. Requires: there is no table.
    static void AddUse(const ComputeWork& work, EfficiencyUse& use);

    /// Null: there is none.
    const KernelTable* Table() const
    {
        return m_table ? &*m_table : nullptr;
    }

  private:
    enum class Engine : uint8_t
    {
        Gemm,
        Attention,
        Other,
    };

    static Engine EngineOf(KernelOp op);
    static std::array<int64_t, 3> CountOperations(Flops operations,
                                                  std::span<const KernelLaunch> kernels);
    SimTime UnscaledDuration(const ComputeWork& work, TableUse* use) const;
    SimTime TableTime(const ComputeWork& work, TableUse* use) const;
    std::vector<KernelTable::Answer> LookUp(std::span<const KernelLaunch> kernels) const;
    SimTime SumOf(const ComputeWork& work, std::span<const KernelTable::Answer> answers) const;
    SimTime KernelRoofline(KernelOp op, const KernelShare& share) const;
    SimTime
    RooflineTime(Flops operations, Bytes memory, std::span<const KernelLaunch> kernels) const;
    SimTime OperationsTime(Flops operations, std::span<const KernelLaunch> kernels) const;

    ComputeOptions m_options;
    std::array<FlopRate, 3> m_rates; // by Engine
    Bandwidth m_memoryRate;
    std::optional<KernelTable> m_table;
};

} // namespace nadi
