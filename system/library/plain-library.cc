// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/communication-library.h"
#include "system/library/dimension-programs.h"

namespace nadi
{

namespace
{

/// Messages leave at once. At its end each costs `endpoint-delay`, and a reduction takes its bytes
/// / `reduction-bandwidth`.
class PlainProtocol : public Protocol
{
  public:
    explicit PlainProtocol(const SystemOptions& options)
        : Protocol(Start::AtOnce)
        , m_endpointDelay(options.endpointDelay)
        , m_reductionBandwidth(options.reductionBandwidth)
    {
    }

    SimTime EndDelay(const LibraryMessage& message, PlanStep::Action action) const override
    {
        return m_endpointDelay + LocalTime(action, message.size);
    }

    SimTime LocalTime(PlanStep::Action action, Bytes size) const override
    {
        const bool takesTime = action == PlanStep::Action::Reduce && m_reductionBandwidth;
        return takesTime ? size / *m_reductionBandwidth : SimTime();
    }

    SimTime StepDelay() const override
    {
        return m_endpointDelay;
    }

  private:
    SimTime m_endpointDelay;
    std::optional<Bandwidth> m_reductionBandwidth;
};

/// Does what `system.collectives` and the keys of the order of phases say, and nothing else.
class InstalledPlainLibrary : public InstalledLibrary
{
  public:
    explicit InstalledPlainLibrary(const LibrarySurroundings& surroundings)
        : m_protocol(surroundings.options)
        , m_programs(surroundings, m_protocol)
        , m_looksAtPlaces(surroundings.trees != nullptr)
    {
    }

    /// Where switches help, how long a way over them is depends on where the ranks are.
    uint32_t PlaceOf(const Communicator& communicator) override
    {
        return m_looksAtPlaces ? communicator.id.value + 1 : 0;
    }

    LayoutKind LayoutFor(CollectiveType type) const override
    {
        return m_programs.LayoutFor(type);
    }

    CollectiveProgram MakeProgram(const ProgramRequest& request) override
    {
        return m_programs.Make(request);
    }

    const Protocol& PointToPointProtocol() const override
    {
        return m_protocol;
    }

  private:
    PlainProtocol m_protocol;
    DimensionPrograms m_programs;
    bool m_looksAtPlaces;
};

class PlainLibrary : public CommunicationLibrary
{
  public:
    static constexpr const char* Help =
        "No model of a particular library: algorithms by dimension, and a fixed delay for each "
        "message.";

    std::unique_ptr<InstalledLibrary>
    Install(const LibrarySurroundings& surroundings) const override
    {
        return std::make_unique<InstalledPlainLibrary>(surroundings);
    }
};

NADI_REGISTER(CommunicationLibrary, PlainLibrary, "plain");

} // namespace

} // namespace nadi
