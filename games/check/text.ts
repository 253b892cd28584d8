// Checks of what is written: shape of the contract, rules, views, grammar, feedback.
import { matchAction } from '../grammar.ts';
import { must, plainCases, play, start, type Check } from './context.ts';

export const published: Check = ({ game, cases }) => {
  must(/^[a-z][a-z0-9-]*-v\d+$/.test(game.id), () => `id ${game.id}: expected name-v1`);
  for (const { label, preset, phase, config } of cases) {
    const { stepCap, scoreBounds, stepRewardBounds, scoreStep } = config;
    must(config.preset === preset && config.phase === phase, () => `${label}: config says otherwise`);
    must(Number.isInteger(stepCap) && stepCap > 0, () => `${label}: stepCap ${stepCap}`);
    must(scoreBounds[0] <= 0 && scoreBounds[1] > scoreBounds[0], () => `${label}: scoreBounds ${scoreBounds}`);
    must(stepRewardBounds[1] > stepRewardBounds[0], () => `${label}: stepRewardBounds ${stepRewardBounds}`);
    must(scoreStep > 0 && scoreStep <= scoreBounds[1], () => `${label}: scoreStep ${scoreStep}`);
  }
  return `${cases.length} configurations`;
};

const FORM = 'Answer: <ACTION>, Score: <NUMBER>';

export const rules: Check = ({ game, cases }) => {
  for (const { label, config } of cases) {
    const text = game.rules(config);
    must(text.includes(FORM), () => `${label}: rules do not name the form "${FORM}"`);
    must(!/\{\{|undefined|NaN|\[object/.test(text), () => `${label}: rules hold an unfilled or broken value`);
    must(text === game.rules(config), () => `${label}: rules differ between two calls`);
    must(game.guidance(config).trim() !== '', () => `${label}: no guidance`);
  }
  for (const [name, tip] of Object.entries(game.tips ?? {})) {
    must(/^retain: .+ avoid: .+ next: [^\n]+$/.test(tip), () => `tip of ${name}: not "retain: … avoid: … next: …"`);
    must(name in (game.strategies ?? {}), () => `tip of ${name}: no such strategy`);
  }
  return `${cases.length} texts`;
};

export const views: Check = (context) => {
  const { game } = context;
  let texts = 0;
  for (const which of context.cases) {
    for (const policy of ['random', 'expert'] as const) {
      const lines = new Map<string, string>();
      for (const { config, state } of play(game, which, 1, policy).episodes) {
        const board = game.board(config, state);
        const line = game.line(config, board);
        const strange = (text: string, legend: string) => [...text].find((c) => c !== '\n' && !legend.includes(c));
        const inBoard = strange(board, game.legend.board);
        must(
          inBoard === undefined,
          () => `${which.label}: ${JSON.stringify(inBoard)} on the board is not in the legend`,
        );
        const inLine = strange(line, game.legend.line);
        must(inLine === undefined, () => `${which.label}: ${JSON.stringify(inLine)} in the line is not in the legend`);
        must(!line.includes('\n') && line !== '', () => `${which.label}: the line view is not one line`);
        lines.set(board, line);
        texts++;
      }
      // A pure function of the text: asked again in another order, each text gives the same line.
      for (const [board, line] of [...lines].reverse()) {
        must(game.line(which.config, `${board} `.slice(0, -1)) === line, () => `${which.label}: line() is not pure`);
      }
    }
  }
  return `${texts} boards and lines`;
};

export const grammar: Check = (context) => {
  const { game } = context;
  let count = 0;
  for (const which of plainCases(context)) {
    const source = game.grammar(which.config);
    for (const policy of ['random', 'expert'] as const) {
      const { episodes, actions } = play(game, which, 2, policy);
      for (const [i, action] of actions.entries()) {
        must(
          matchAction(source, action) !== null,
          () => `${which.label}: ${policy} plays ${action}, not in the grammar`,
        );
        const { config, state } = episodes[i]!;
        const same = [action, action.toLowerCase(), action.toUpperCase()].map((text) => game.step(config, state, text));
        must(same[0]!.valid, () => `${which.label}: ${policy} plays ${action}, which is refused`);
        must(
          new Set(same.map((outcome) => outcome.valid && game.board(config, outcome.state as never))).size === 1,
          () => `${which.label}: case changes what ${action} does`,
        );
        count++;
      }
      for (const episode of episodes.filter((_, i) => i % 7 === 0 && !episodes[i]!.end)) {
        const listed = game.actions(episode.config, episode.state);
        if (!listed) continue;
        must(listed.length <= 2000, () => `${which.label}: ${listed.length} actions are listed`);
        must(listed.length > 0, () => `${which.label}: an episode goes on without a legal action`);
        must(new Set(listed).size === listed.length, () => `${which.label}: an action is listed twice`);
        for (const action of listed.filter((_, i) => i % Math.ceil(listed.length / 60) === 0)) {
          must(matchAction(source, action) !== null, () => `${which.label}: ${action} is listed, not in the grammar`);
          const { valid } = game.step(episode.config, episode.state, action);
          must(valid, () => `${which.label}: ${action} is listed and refused`);
          count++;
        }
      }
    }
  }
  return `${count} actions`;
};

export const feedback: Check = (context) => {
  let lines = 0;
  for (const which of context.cases) {
    for (const policy of ['random', 'expert'] as const) {
      for (const { feedback: text } of play(context.game, which, 3, policy).reports) {
        must(
          !/[\r\n]/.test(text) && text.length <= 200,
          () => `${which.label}: feedback is not one short line: ${text}`,
        );
        lines++;
      }
    }
    const { config, state } = start(context.game, which, 3);
    const outcome = context.game.step(config, state, '\0');
    must(!outcome.valid, () => `${which.label}: a missing answer is accepted`);
    must(/^[^\r\n]{1,100}$/.test(outcome.reason), () => `${which.label}: reason is not one short line`);
  }
  return `${lines} lines`;
};
