//! What the options allow a schedule to do. Pure. Invariant: nothing is drawn that the user gave no means for.

use std::time::Duration;

use super::schedule::Body;
use super::step::Kind;
use crate::target::checks::odd_keys::Alike;
use crate::target::options::Options;
use crate::target::request::key::KeyPlace;
use crate::target::request::variation::{Kind as VariationKind, VARIATIONS};

/// What can be drawn from.
#[derive(Clone, Debug)]
pub struct Means {
    pub kinds: Vec<Kind>,
    /// Labels of variations.
    pub variations: Vec<&'static str>,
    /// Those of them that write the same content anew.
    pub rewritten: Vec<&'static str>,
    /// Leaves of the body that another payload may differ in.
    pub leaves: Vec<String>,
    pub has_amount: bool,
    pub has_ledger: bool,
    /// What a request may be made of.
    pub bodies: Vec<Body>,
    pub alike: Vec<Alike>,
    /// Names of the user's disruptions.
    pub disruptions: Vec<String>,
    /// Most of the promised window, where waiting for it is affordable.
    pub long_wait: Option<Duration>,
}

/// A wait may take this part of the whole time at most.
const LONGEST_WAIT: u32 = 12;

impl Means {
    /// `time` is that of the whole exploration.
    pub fn of(options: &Options, time: Duration) -> Means {
        let template = &options.template;
        let given = |kind: &Kind| match kind {
            Kind::Principal => options.other_credential.is_some(),
            Kind::Refreshed => options.refreshed_credential.is_some(),
            Kind::Disrupt => !options.disruptions.is_empty(),
            // It comes with what it ends.
            Kind::Heal => false,
            Kind::NoKey => template.can_leave_key_out(),
            Kind::Restart | Kind::RestartDuring => options.restart.is_some(),
            Kind::AwaitItem => !options.oracle.is_none(),
            Kind::Send
            | Kind::Varied
            | Kind::OtherPayload
            | Kind::Cut
            | Kind::HalfRequest
            | Kind::LostReply
            | Kind::NeverSent
            | Kind::Twice
            | Kind::Late
            | Kind::Race
            | Kind::Crowd
            | Kind::FreshKeys
            | Kind::Wait => true,
        };
        let is_header = matches!(template.key_place, KeyPlace::Header(_));
        let long_wait = options.window.map(|window| window * 4 / 5).filter(|wait| *wait <= time / LONGEST_WAIT);
        Means {
            kinds: Kind::ALL.iter().copied().filter(given).collect(),
            variations: VARIATIONS.iter().filter(|v| v.kind != VariationKind::Size).map(|v| v.label).collect(),
            rewritten: VARIATIONS.iter().filter(|v| v.kind == VariationKind::Content).map(|v| v.label).collect(),
            leaves: template.fixed_leaves(),
            has_amount: template.has_amount(),
            has_ledger: !options.oracle.is_none(),
            bodies: bodies(options),
            alike: Alike::ALL
                .iter()
                .copied()
                .filter(|a| {
                    template.key_place != KeyPlace::Url && a.are_two_keys() && (is_header || *a != Alike::NonAscii)
                })
                .collect(),
            disruptions: options.disruptions.iter().map(|one| one.name.clone()).collect(),
            long_wait,
        }
    }
}

fn bodies(options: &Options) -> Vec<Body> {
    let given = |body: &Body| match body {
        Body::Plain => true,
        Body::Large => options.template.body.has_room(),
        Body::FailsFirst => options.fail_body.is_some() || options.fail_header.is_some(),
        Body::FailsAfter => options.fail_after_body.is_some() || options.fail_after_header.is_some(),
    };
    [Body::Plain, Body::Large, Body::FailsFirst, Body::FailsAfter].into_iter().filter(given).collect()
}
