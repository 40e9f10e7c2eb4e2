// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "system/library/communication-library.h"
#include "system/library/nccl/installed-nccl.h"

#include <memory>

namespace nadi::nccl
{

namespace
{

/// What NCCL and the libraries made of it have in common.
class NcclFamily : public CommunicationLibrary
{
  public:
    explicit NcclFamily(const Parameters& values)
        : m_settings(ReadNcclSettings(values))
    {
    }

    bool DecidesItself() const override
    {
        return true;
    }

    bool NeedsNodes() const override
    {
        return true;
    }

    std::unique_ptr<InstalledLibrary>
    Install(const LibrarySurroundings& surroundings) const override
    {
        NADI_CHECK(surroundings.nodes);
        return std::make_unique<InstalledNccl>(surroundings, m_settings);
    }

  private:
    NcclSettings m_settings;
};

class NcclLibrary : public NcclFamily
{
  public:
    static constexpr const char* Help =
        "NVIDIA's NCCL: rings, trees and NVLS with the protocols LL, LL128 and Simple, chosen as "
        "its releases choose them, with costs fitted to measurements.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return NcclSpecs("h100");
    }

    using NcclFamily::NcclFamily;
};

class RcclLibrary : public NcclFamily
{
  public:
    static constexpr const char* Help =
        "AMD's RCCL: as nccl, with the costs of the MI300X and without NVLS.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return NcclSpecs("mi300x", {"mi300x"});
    }

    using NcclFamily::NcclFamily;
};

NADI_REGISTER(CommunicationLibrary, NcclLibrary, "nccl");
NADI_REGISTER(CommunicationLibrary, RcclLibrary, "rccl");

} // namespace

} // namespace nadi::nccl
