// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/parameters.h"

#include <map>
#include <string>
#include <vector>

namespace nadi::nccl
{

/// Which presets apply to a run.
struct PresetNames
{
    std::string gpu = "default";       ///< "h100"
    std::string transport = "default"; ///< "ib"
    std::string nicPath = "pcie-switch";
};

/// The transports that have presets, and other names for some of them.
std::vector<std::string> TransportNames();

/// What the library costs, as keys of `system.library`: those of GPUs, and those of networks with
/// `net-` before them. The default of each is "auto", the value of the preset.
std::vector<ParameterSpec> CostSpecs();

/// What the library costs in one run: values of the presets, and over them those that are given.
class CostParameters
{
  public:
    /// Requires: `given` has the CostSpecs, and the names are of presets.
    CostParameters(const PresetNames& names, const Parameters& given);

    /// In us, GB/s, or a share, as its unit is. Requires: it is one of CostSpecs.
    double Get(const std::string& key) const
    {
        return m_values.at(key);
    }

  private:
    std::map<std::string, double> m_values;
};

} // namespace nadi::nccl
