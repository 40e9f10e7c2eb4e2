// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/closed-traffic.h"
#include "system/execution/collective-run.h"
#include "system/execution/traffic-outlines.h"

#include <cstdint>

namespace nadi
{

/// Who owns a collective that the network may take over.
class TrafficOwner
{
  public:
    virtual ~TrafficOwner() = default;
    /// All phases have ended on the member, or would have if they had been run.
    virtual void OnMemberEnded(CollectiveId id, uint32_t member) = 0;
    virtual void OnMessageSkipped(const Delivery& delivery) = 0;
    /// The traffic is not used any more, and may be destroyed in this call.
    virtual void OnReleased(CollectiveId id) = 0;
};

/// A collective, as the network sees it: its parts are the members, in their order.
class CollectiveTraffic : public ClosedTraffic
{
  public:
    /// `program`: a number of the run's program and root. All references outlive it.
    CollectiveTraffic(CollectiveRun& run,
                      uint64_t program,
                      TrafficOutlines& outlines,
                      TrafficOwner& owner)
        : m_run(run)
        , m_program(program)
        , m_outlines(outlines)
        , m_owner(owner)
    {
    }

    StreamId Stream() const override
    {
        return m_run.Stream();
    }

    uint64_t Program() const override
    {
        return m_program;
    }

    uint32_t PartCount() const override
    {
        return m_run.Layout().Size();
    }

    RankId RankOf(uint32_t part) const override
    {
        return m_run.Layout().RankOf(part);
    }

    uint32_t PartOf(RankId rank) const override
    {
        return m_run.Layout().MemberOf(rank);
    }

    std::vector<Ends> FindEnds() override
    {
        return m_outlines.Find(m_program, m_run);
    }

    void Begin() override;

    void OnPartEnded(uint32_t part) override
    {
        m_owner.OnMemberEnded(m_run.Id(), part);
    }

    void OnMessageSkipped(const Delivery& delivery) override
    {
        m_owner.OnMessageSkipped(delivery);
    }

    void Release() override
    {
        m_owner.OnReleased(m_run.Id());
    }

  private:
    CollectiveRun& m_run;
    uint64_t m_program;
    TrafficOutlines& m_outlines;
    TrafficOwner& m_owner;
};

} // namespace nadi
