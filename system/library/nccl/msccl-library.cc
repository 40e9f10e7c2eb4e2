// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "common/registry.h"
#include "system/library/communication-library.h"
#include "system/library/nccl/installed-nccl.h"
#include "system/library/nccl/script-costs.h"

#include <map>
#include <memory>
#include <utility>

namespace nadi::nccl
{

namespace
{

/// NCCL whose all-reduces and all-gathers inside a node run as a file says.
class InstalledMsccl : public InstalledNccl
{
  public:
    InstalledMsccl(const LibrarySurroundings& surroundings,
                   const NcclSettings& settings,
                   const Script& script)
        : InstalledNccl(surroundings, WithoutProtocol(settings))
        , m_script(script)
    {
    }

    CollectiveProgram MakeProgram(const ProgramRequest& request) override
    {
        const bool isScripted = !request.isUneven && (request.type == CollectiveType::AllReduce ||
                                                      request.type == CollectiveType::AllGather);
        const Placement placement = PlacementOf(request);
        // Measured: smaller all-reduces run as the library itself chooses.
        constexpr uint64_t smallestOfInstance = 256;
        const bool isTooSmall = request.type == CollectiveType::AllReduce &&
                                SizeOf(request) < smallestOfInstance * m_script.instances;
        if (!isScripted || isTooSmall || placement.NodeCount() > 1 || placement.Size() == 1)
        {
            return InstalledNccl::MakeProgram(request);
        }
        // All members are in one node here, so the way of the script is kept by their number and
        // the type alone.
        KeptWay& way = m_scripted[{placement.Size(), request.type}];
        if (way.planner == nullptr)
        {
            way = Keep(MakeScriptWay(m_script, ContextFor(placement, request.type), placement));
        }
        CollectiveProgram program = MakeProgramBy(way, request);
        program.decision = {.algorithm = ToText(m_script.algorithm),
                            .protocol = ToText(m_script.protocol),
                            .channels = m_script.AllChannels(),
                            .chosenBy = "user"};
        return program;
    }

  private:
    /// What no script runs is the library's choice: the protocol is that of the script.
    static NcclSettings WithoutProtocol(NcclSettings settings)
    {
        settings.wish.protocol.reset();
        return settings;
    }

    Script m_script;
    std::map<std::pair<uint32_t, CollectiveType>, KeptWay> m_scripted; // by ranks of a node
};

class MscclLibrary : public CommunicationLibrary
{
  public:
    static constexpr const char* Help =
        "Microsoft's MSCCL: all-reduces and all-gathers inside a node run as a file says, a ring "
        "or an exchange of all pairs; all else is as in nccl.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        std::vector<ParameterSpec> specs = ScriptSpecs();
        for (ParameterSpec& spec : NcclSpecs("mi300x"))
        {
            specs.push_back(std::move(spec));
        }
        return specs;
    }

    explicit MscclLibrary(const Parameters& values)
        : m_settings(ReadNcclSettings(values))
        , m_script(ReadScript(values))
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
        return std::make_unique<InstalledMsccl>(surroundings, m_settings, m_script);
    }

  private:
    NcclSettings m_settings;
    Script m_script;
};

NADI_REGISTER(CommunicationLibrary, MscclLibrary, "msccl");

} // namespace

} // namespace nadi::nccl
