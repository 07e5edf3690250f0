// Times as the site's pages write them: of the reader's language and zone, hours from 0 to 24.
const ofDay = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hour12: false,
});
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium", hour12: false });

export const timeOfDay = (at: string | number | Date): string => ofDay.format(new Date(at));

export const dayAndTime = (at: string | number | Date): string => whole.format(new Date(at));
