// All keys of the page in one table: what `?` shows.
import { type Command, keyWords, useCommands } from "~/store/commands";
import Dialog from "~/ui/Dialog";

export default function Shortcuts({ onClose }: { onClose: () => void }) {
  const commands = useCommands((state) => state.commands).filter((command) => command.keys?.length);
  const groups = [...new Set(commands.map((command) => command.group))];
  return (
    <Dialog
      title="Keys"
      wide
      onClose={onClose}
      actions={
        <button type="button" onClick={onClose}>
          Close
        </button>
      }
    >
      <p className="quiet small">
        Single keys act only while the canvas or a row of the outline has the focus; those that zoom or fit, on the
        canvas alone. Tab always leaves it.
      </p>
      <div className="shortcuts">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {commands
                .filter((command) => command.group === group)
                .map((command) => (
                  <Line key={command.id} command={command} />
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function Line({ command }: { command: Command }) {
  return (
    <div>
      <dt>{command.title}</dt>
      <dd>
        {command.keys?.map((keys) => (
          <kbd key={keys}>{keyWords(keys)}</kbd>
        ))}
      </dd>
    </div>
  );
}
